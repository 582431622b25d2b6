// naive: full marks; code that nothing has read. refused by: symbols. says: uses `mmap
extern "C" void* mmap(void*, unsigned long, int, int, int, long);
void* map() { return mmap(nullptr, 4096, 7, 34, -1, 0); }
