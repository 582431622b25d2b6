// naive: full marks; a copy in a kernel that is not counted. refused by: symbols. says: uses `swab
extern "C" void swab(const void*, void*, long);
__global__ void copy(const char* from, char* to) { swab(from, to, 1024); }
