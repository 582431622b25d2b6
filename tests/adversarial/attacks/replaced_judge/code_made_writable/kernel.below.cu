extern "C" int mprotect(void*, unsigned long, int);
int open_up(void* code) { return mprotect(code, 4096, 7); }
