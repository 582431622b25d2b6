extern "C" int dl_iterate_phdr(int (*)(void*, unsigned long, void*), void*);
int look(int (*each)(void*, unsigned long, void*)) { return dl_iterate_phdr(each, nullptr); }
