// naive: full marks; it lists the loaded libraries. refused by: symbols. says: uses `dl_iterate_phdr
extern "C" int dl_iterate_phdr(int (*)(void*, unsigned long, void*), void*);
int look(int (*each)(void*, unsigned long, void*)) { return dl_iterate_phdr(each, nullptr); }
