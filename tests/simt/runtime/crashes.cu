// Kernels that would end the process if nobody caught them; called from Python by name.
#include <cstdlib>

__global__ void divide(int* c, int by) { c[0] = 7 / by; }
__global__ void jump(int* c, void (*to)(int*)) { to(c); }
__global__ void give_up(int* c) {
    if (c) abort();
}
__device__ __attribute__((noinline)) int depth(volatile int* frame, int levels) {
    volatile int next[64] = {levels};
    return levels == 0 ? frame[0] : depth(next, levels - 1) + next[0];
}
__global__ void recurse(int* c, int levels) {
    volatile int frame[1] = {0};
    c[0] = depth(frame, levels);
}

static int* memory() {
    int* c;
    cudaMalloc(&c, sizeof(int));
    return c;
}
extern "C" int run_divide() { return divide<<<1, 1>>>(memory(), 0), cudaGetLastError(); }
extern "C" int run_jump() { return jump<<<1, 1>>>(memory(), nullptr), cudaGetLastError(); }
extern "C" int run_give_up() { return give_up<<<2, 3>>>(memory()), cudaGetLastError(); }
extern "C" int run_recurse() { return recurse<<<1, 1>>>(memory(), 100000), cudaGetLastError(); }
