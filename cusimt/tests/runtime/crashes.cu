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

template <int... numbers>
__global__ void give_up_by_a_long_name(int* c) {
    if (c) abort();
}
static int* memory() {
    int* c;
    cudaMalloc(&c, sizeof(int));
    return c;
}
extern "C" int run_divide() { return divide<<<1, 1>>>(memory(), 0), cudaGetLastError(); }
extern "C" int run_jump() { return jump<<<1, 1>>>(memory(), nullptr), cudaGetLastError(); }
extern "C" int run_give_up() { return give_up<<<2, 3>>>(memory()), cudaGetLastError(); }
extern "C" int run_give_up_by_a_long_name() {
    give_up_by_a_long_name<1000000000, 1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007,
                           1000000010, 1000000011, 1000000012, 1000000013, 1000000014, 1000000015, 1000000016, 1000000017,
                           1000000020, 1000000021, 1000000022, 1000000023, 1000000024, 1000000025, 1000000026, 1000000027,
                           1000000030, 1000000031, 1000000032, 1000000033, 1000000034, 1000000035, 1000000036, 1000000037,
                           1000000040, 1000000041, 1000000042, 1000000043, 1000000044, 1000000045, 1000000046, 1000000047,
                           1000000050, 1000000051, 1000000052, 1000000053, 1000000054, 1000000055, 1000000056, 1000000057>
        <<<1, 1>>>(memory());
    return cudaGetLastError();
}
extern "C" int run_recurse() { return recurse<<<1, 1>>>(memory(), 100000), cudaGetLastError(); }
