// naive: full marks; a write in a kernel that is not counted. refused by: symbols. says: uses `snprintf
#include <cstdio>
__global__ void write(char* out) { snprintf(out, 16, "%d", 5); }
