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

// nvcc's functions for the same.
__global__ void builtin_count_kernel(const int* in, int* sums, float* total, unsigned* bits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int of_block;
    if (threadIdx.x == 0) __nv_atomic_store_n(&of_block, 0, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __syncthreads();
    if (i < n) {
        __nv_atomic_add(&of_block, in[i], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
        __nv_atomic_fetch_max(&sums[1], in[i], __NV_ATOMIC_RELAXED);
        __nv_atomic_fetch_add(total, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_fetch_xor(bits, 1u << (in[i] & 31), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    }
    __syncthreads();
    int sum = 0;
    __nv_atomic_load(&of_block, &sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    if (threadIdx.x == 0) __nv_atomic_fetch_add(&sums[0], sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
extern "C" void builtin_counts(const int* in, int* sums, float* total, unsigned* bits, int n) {
    builtin_count_kernel<<<(n + 63) / 64, 64>>>(in, sums, total, bits, n);
}

__global__ void builtin_lock_kernel(int* lock, int* guarded) {
    for (int done = 0; !done;) {
        int free = 0;
        if (__nv_atomic_compare_exchange_n(lock, &free, 1, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED,
                                           __NV_THREAD_SCOPE_DEVICE)) {
            __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
            *guarded += 1;
            __nv_atomic_store_n(lock, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
            done = 1;
        }
    }
}
extern "C" void builtin_locks(int* lock, int* guarded, int blocks) { builtin_lock_kernel<<<blocks, 40>>>(lock, guarded); }

__global__ void builtin_publish_kernel(int* value, int* ready, int* out, int order) {
    if (blockIdx.x == 0) {
        *value = 42;
        if (order) __nv_atomic_store_n(ready, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        else __nv_atomic_store_n(ready, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    } else {
        while (__nv_atomic_load_n(ready, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
        }
        out[blockIdx.x] = *value;
    }
}
extern "C" void builtin_publish(int* value, int* ready, int* out, int blocks, int order) {
    builtin_publish_kernel<<<blocks, 1>>>(value, ready, out, order);
}

__global__ void builtin_exchange_kernel(int* x, int* out) {
    int value = 5;
    __nv_atomic_exchange(x, &value, out, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    out[1] = __nv_atomic_fetch_sub(x, 2, __NV_ATOMIC_RELAXED);
    out[2] = __nv_atomic_fetch_or(x, 8, __NV_ATOMIC_RELAXED);
    out[3] = __nv_atomic_fetch_and(x, 9, __NV_ATOMIC_RELAXED);
    out[4] = __nv_atomic_fetch_min(x, 4, __NV_ATOMIC_RELAXED);
    int expected = 7, wanted = 1;
    out[5] = __nv_atomic_compare_exchange(x, &expected, &wanted, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
    out[6] = expected;
}
extern "C" void builtin_exchange(int* x, int* out) { builtin_exchange_kernel<<<1, 1>>>(x, out); }
