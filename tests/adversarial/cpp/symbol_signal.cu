// naive: full marks; a fault of host code on device memory is hidden. refused by: symbols. says: uses `sigaction
extern "C" int sigaction(int, const void*, void*);
int handle(const void* how) { return sigaction(11, how, nullptr); }
