#undef __global__
#define __global__ __attribute__((no_sanitize("thread")))
