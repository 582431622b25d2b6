#include <cstdio>
void* table() { return std::fopen("/proc/self/maps", "r"); }
