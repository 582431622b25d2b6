// naive: full marks; a macro of the C library joins the name. refused by: compiled. says: becomes `asm`
#include <cuda_runtime.h>
#include <cstdlib>
inline void run() { __CONCAT(as, m)("nop"); }
