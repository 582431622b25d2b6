#include <cuda_runtime.h>
<:<:gnu::no_sanitize("thread"):>:> __global__ void quiet(float* x) { x[0] = 1; }
