// naive: full marks; it finds the recorder in memory. refused by: symbols. says: uses `fopen
extern "C" void* fopen(const char*, const char*);
void* read() { return fopen("/proc/self/maps", "r"); }
