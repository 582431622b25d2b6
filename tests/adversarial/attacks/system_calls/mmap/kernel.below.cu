extern "C" void* mmap(void*, unsigned long, int, int, int, long);
void* map() { return mmap(nullptr, 4096, 7, 34, -1, 0); }
