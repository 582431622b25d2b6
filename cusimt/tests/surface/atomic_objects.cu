// cuda::atomic and cuda::atomic_ref.
#include <cuda/atomic>

__global__ void count_kernel(const int* in, int* sums, float* total, unsigned* bits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> of_block;
    if (threadIdx.x == 0) of_block.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (i < n) {
        of_block.fetch_add(in[i], cuda::memory_order_relaxed);
        cuda::atomic_ref<int, cuda::thread_scope_device>(sums[1]).fetch_max(in[i]);
        cuda::atomic_ref<float, cuda::thread_scope_device>(*total) += 0.5f;
        cuda::std::atomic_ref<unsigned>(*bits).fetch_xor(1u << (in[i] & 31));
    }
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_device> all(sums[0]);
    if (threadIdx.x == 0) all += of_block;
}
extern "C" void counts(const int* in, int* sums, float* total, unsigned* bits, int n) {
    count_kernel<<<(n + 63) / 64, 64>>>(in, sums, total, bits, n);
}

// A lock that every thread takes, with an ordinary variable behind it.
__global__ void lock_kernel(int* lock, int* guarded) {
    cuda::atomic_ref<int, cuda::thread_scope_device> state(*lock);
    for (int done = 0; !done;) {
        int free = 0;
        if (state.compare_exchange_strong(free, 1, cuda::memory_order_acquire)) {
            *guarded += 1;
            state.store(0, cuda::memory_order_release);
            done = 1;
        }
    }
}
extern "C" void locks(int* lock, int* guarded, int blocks) { lock_kernel<<<blocks, 40>>>(lock, guarded); }

// The first block hands a value to the others.
__global__ void publish_kernel(int* value, int* ready, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *value = 42;
        flag.store(1, cuda::std::memory_order_release);
    } else {
        while (flag.load(cuda::std::memory_order_acquire) == 0) {
        }
        out[blockIdx.x] = *value;
    }
}
extern "C" void publish(int* value, int* ready, int* out, int blocks) { publish_kernel<<<blocks, 1>>>(value, ready, out); }

// The same objects on the host.
extern "C" void on_host(int* out) {
    static cuda::std::atomic<int> counter(5);
    counter++;
    counter.fetch_sub(2);
    int result = counter;
    cudaMemcpy(out, &result, sizeof result, cudaMemcpyHostToDevice);
}
