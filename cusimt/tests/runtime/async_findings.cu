// One case per run, as in findings.cu: what can go wrong with copies in the background, barrier objects and wmma.
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>
#include <map>
#include <string>

extern "C" const char* simt_take_findings();

constexpr int N = 64;

// Every thread copies one element and reads its neighbour's.
__global__ void neighbour(const float* a, float* c, bool wait, bool barrier) {
    __shared__ float tile[N];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &a[i], 4);  // <- copy
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(0);
    if (barrier) __syncthreads();
    c[i] = tile[N - 1 - i];  // <- read
    __pipeline_wait_prior(0);
}
__global__ void read_own(const float* a, float* c, int prior) {
    __shared__ float tile[2][N];
    int i = threadIdx.x;
    for (int stage = 0; stage < 2; ++stage) {
        __pipeline_memcpy_async(&tile[stage][i], &a[i], 4);
        __pipeline_commit();
    }
    if (prior) __pipeline_wait_prior(1);
    else __pipeline_wait_prior(0);
    c[i] = tile[1][i];  // <- read_own
    __pipeline_wait_prior(0);
}
// The next copy goes to where others may still be reading.
__global__ void overwrite(const float* a, float* c, bool barrier) {
    __shared__ float tile[N];
    int i = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 2; ++round) {
        __pipeline_memcpy_async(&tile[i], &a[i], 4);  // <- overwrite
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += tile[N - 1 - i];
        if (barrier) __syncthreads();
    }
    c[i] = sum;
}
__global__ void store_into(const float* a, float* c, bool wait) {
    __shared__ float tile[N];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &a[i], 4);
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(0);
    tile[i] = 1;  // <- store_into
    __pipeline_wait_prior(0);
    c[i] = tile[i];
}
__global__ void change_source(float* a, float* c, bool wait) {
    __shared__ float tile[N];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &a[i], 4);  // <- source
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(0);
    a[i] = i;
    __pipeline_wait_prior(0);
    c[i] = tile[i];
}
__global__ void copy_far(const float* a, float* c, int offset) {
    __shared__ float tile[N];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x + offset], 4);  // <- far
    __pipeline_commit();
    __pipeline_wait_prior(0);
    c[threadIdx.x] = tile[threadIdx.x];
}
__global__ void copy_wide(const float* a, float* c, int offset) {
    __shared__ float4 tile[N / 4];
    if (threadIdx.x == 0) {
        __pipeline_memcpy_async(&tile[0], a + offset, 16);  // <- wide
        __pipeline_commit();
        __pipeline_wait_prior(0);
        c[0] = tile[0].x;
    }
}
__global__ void count(float* c, int expected) {
    __shared__ cuda::barrier<cuda::thread_scope_block> gate;
    if (threadIdx.x == 0) init(&gate, expected);
    __syncthreads();
    gate.arrive_and_wait();  // <- count
    if (threadIdx.x == 0) gate.arrive(2);  // <- count_again
    c[threadIdx.x] = 1;
}
__global__ void exchange(float* c, bool wait) {
    __shared__ cuda::barrier<cuda::thread_scope_block> gate;
    __shared__ float tile[N];
    if (threadIdx.x == 0) init(&gate, N);
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x;
    auto token = gate.arrive();
    if (wait) gate.wait(std::move(token));
    c[threadIdx.x] = tile[N - 1 - threadIdx.x];  // <- exchange
}

// All 32 lanes of a warp must take part in an operation of wmma.
__global__ void store_sums(float* c, int lanes) {
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 8, 8, 4, double> sum;
    nvcuda::wmma::fill_fragment(sum, 1.0);
    auto* to = reinterpret_cast<double*>(c);
    if (threadIdx.x < lanes) nvcuda::wmma::store_matrix_sync(to, sum, 8, nvcuda::wmma::mem_row_major);  // <- lanes
}

// A matrix of 16-bit elements begins at a multiple of 32 bytes, and its rows are a multiple of 16 bytes apart.
__global__ void load_at(float* c, int first, int stride) {
    __shared__ alignas(32) half matrix[16 * 32];
    for (int i = threadIdx.x; i < 16 * 32; i += 32) matrix[i] = 1.0f;
    __syncwarp();
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> part;
    nvcuda::wmma::load_matrix_sync(part, matrix + first, stride);  // <- place
    c[threadIdx.x] = part.x[0];
}

int main(int, char** arguments) {
    float *a, *c;
    cudaMalloc(&a, N * sizeof(float));
    cudaMalloc(&c, N * sizeof(double));
    cudaMemset(a, 0, N * sizeof(float));
    using Case = void (*)(float*, float*);
    static const std::map<std::string, Case> cases = {
        {"neighbour", [](float* a, float* c) { neighbour<<<1, N>>>(a, c, true, true); }},
        {"neighbour_no_wait", [](float* a, float* c) { neighbour<<<1, N>>>(a, c, false, true); }},
        {"neighbour_no_barrier", [](float* a, float* c) { neighbour<<<1, N>>>(a, c, true, false); }},
        {"read_own", [](float* a, float* c) { read_own<<<1, N>>>(a, c, 0); }},
        {"read_own_too_early", [](float* a, float* c) { read_own<<<1, N>>>(a, c, 1); }},
        {"overwrite", [](float* a, float* c) { overwrite<<<1, N>>>(a, c, true); }},
        {"overwrite_no_barrier", [](float* a, float* c) { overwrite<<<1, N>>>(a, c, false); }},
        {"store_into", [](float* a, float* c) { store_into<<<1, N>>>(a, c, true); }},
        {"store_into_too_early", [](float* a, float* c) { store_into<<<1, N>>>(a, c, false); }},
        {"change_source", [](float* a, float* c) { change_source<<<1, N>>>(a, c, true); }},
        {"change_source_too_early", [](float* a, float* c) { change_source<<<1, N>>>(a, c, false); }},
        {"copy_past", [](float* a, float* c) { copy_far<<<1, N>>>(a, c, 8); }},
        {"copy_misaligned", [](float* a, float* c) { copy_wide<<<1, N>>>(a, c, 1); }},
        {"copy_wide", [](float* a, float* c) { copy_wide<<<1, N>>>(a, c, 4); }},
        {"count_never_reached", [](float*, float* c) { count<<<1, N>>>(c, N + 1); }},
        {"count_exceeded", [](float*, float* c) { count<<<1, 1>>>(c, 1); }},
        {"whole_warp", [](float*, float* c) { store_sums<<<1, 32>>>(c, 32); }},
        {"short_block", [](float*, float* c) { store_sums<<<1, 16>>>(c, 16); }},
        {"half_a_warp", [](float*, float* c) { store_sums<<<1, 32>>>(c, 16); }},
        {"load_at_16", [](float*, float* c) { load_at<<<1, 32>>>(c, 16, 24); }},
        {"load_at_8", [](float*, float* c) { load_at<<<1, 32>>>(c, 8, 24); }},
        {"load_at_odd_rows", [](float*, float* c) { load_at<<<1, 32>>>(c, 0, 20); }},
        {"exchange", [](float*, float* c) { exchange<<<1, N>>>(c, true); }},
        {"exchange_no_wait", [](float*, float* c) { exchange<<<1, N>>>(c, false); }},
    };
    cases.at(arguments[1])(a, c);
    cudaDeviceSynchronize();
    printf("%s\n%s", cudaGetErrorName(cudaPeekAtLastError()), simt_take_findings());
}
