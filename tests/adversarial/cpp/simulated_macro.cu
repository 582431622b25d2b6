// naive: full marks; the kernel counts as host code and is not checked. refused by: text. says: belongs to the simulated GPU
#include <cuda_runtime.h>
__global__ void quiet(float* x) SIMT_HOST;
