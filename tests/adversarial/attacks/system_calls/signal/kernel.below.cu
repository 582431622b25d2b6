extern "C" int sigaction(int, const void*, void*);
int handle(const void* how) { return sigaction(11, how, nullptr); }
