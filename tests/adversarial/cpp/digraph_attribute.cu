// naive: full marks; the kernel is compiled without checks. refused by: spelling. says: has the digraph `<:`
#include <cuda_runtime.h>
<:<:gnu::no_sanitize("thread"):>:> __global__ void quiet(float* x) { x[0] = 1; }
