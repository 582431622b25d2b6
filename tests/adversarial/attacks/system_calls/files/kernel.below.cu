extern "C" void* fopen(const char*, const char*);
void* read() { return fopen("/proc/self/maps", "r"); }
