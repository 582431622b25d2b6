// cuRAND in kernels. One launcher runs one thread through everything; the other fills an array, a generator per thread.
#include <curand_kernel.h>
#include <curand_normal.h>  // parts of it that some programs name
#include <curand_philox4x32_x.h>
#include <curand_uniform.h>

template <typename State>
__global__ void words_kernel(const unsigned long long* init, unsigned* out) {
    State state;
    curand_init(init[0], init[1], init[2], &state);
    for (int i = 0; i < 6; ++i) out[i] = curand(&state);
    skipahead(1000000007ULL, &state);
    out[6] = curand(&state);
    skipahead_sequence(12345, &state);
    out[7] = curand(&state);
}
extern "C" void xorwow_words(const unsigned long long* init, unsigned* out) { words_kernel<curandState><<<1, 1>>>(init, out); }
extern "C" void philox_words(const unsigned long long* init, unsigned* out) {
    words_kernel<curandStatePhilox4_32_10_t><<<1, 1>>>(init, out);
}

__global__ void philox_kernel(const unsigned* in, unsigned* out) {
    uint4 words = simt::philox4x32_10(uint4{in[0], in[1], in[2], in[3]}, uint2{in[4], in[5]});
    out[0] = words.x, out[1] = words.y, out[2] = words.z, out[3] = words.w;
}
extern "C" void philox_block(const unsigned* in, unsigned* out) { philox_kernel<<<1, 1>>>(in, out); }

template <typename State>
__global__ void numbers_kernel(const unsigned long long* init, double* out) {
    State state;
    curand_init(init[0], init[1], init[2], &state);
    int n = 0;
    for (int i = 0; i < 3; ++i) out[n++] = curand_uniform(&state);
    out[n++] = curand_uniform_double(&state);
    for (int i = 0; i < 3; ++i) out[n++] = curand_normal(&state);
    for (int i = 0; i < 3; ++i) out[n++] = curand_normal_double(&state);
    out[n++] = curand_log_normal(&state, 0.5f, 2.0f);
    out[n++] = curand_log_normal_double(&state, 0.5, 2.0);
    float2 pair = curand_normal2(&state);
    out[n++] = pair.x, out[n++] = pair.y;
}
extern "C" void xorwow_numbers(const unsigned long long* init, double* out) { numbers_kernel<curandState><<<1, 1>>>(init, out); }
extern "C" void philox_numbers(const unsigned long long* init, double* out) {
    numbers_kernel<curandStatePhilox4_32_10_t><<<1, 1>>>(init, out);
}

// Four at a time, after one word by itself.
__global__ void fours_kernel(const unsigned long long* init, double* out) {
    curandStatePhilox4_32_10_t state;
    curand_init(init[0], init[1], init[2], &state);
    curand(&state);
    float4 u = curand_uniform4(&state), n = curand_normal4(&state);
    double2 d = curand_uniform2_double(&state);
    double values[10] = {u.x, u.y, u.z, u.w, n.x, n.y, n.z, n.w, d.x, d.y};
    for (int i = 0; i < 10; ++i) out[i] = values[i];
}
extern "C" void philox_fours(const unsigned long long* init, double* out) { fours_kernel<<<1, 1>>>(init, out); }

__global__ void init_kernel(curandState* states, unsigned long long seed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) curand_init(seed, i, 0, &states[i]);
}
__global__ void sample_kernel(curandState* states, float* uniform, float* normal, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandState local = states[i];
    for (int k = 0; k < 8; ++k) {
        uniform[k * n + i] = curand_uniform(&local);
        normal[k * n + i] = curand_normal(&local);
    }
    states[i] = local;
}
extern "C" void samples(float* uniform, float* normal, int n) {
    curandState* states;
    cudaMalloc(&states, n * sizeof(curandState));
    init_kernel<<<(n + 127) / 128, 128>>>(states, 2024, n);
    sample_kernel<<<(n + 127) / 128, 128>>>(states, uniform, normal, n);
    cudaFree(states);
}
