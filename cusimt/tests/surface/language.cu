// The language: launches in every form, shared memory, symbols, qualifiers.
#include <cuda_runtime.h>
#include <utility>

__global__ void indices_kernel(int* out, dim3 shape) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= shape.x || y >= shape.y || z >= shape.z) return;
    out[(z * shape.y + y) * shape.x + x] = x + 100 * y + 10000 * z + 1000000 * gridDim.y;
}
extern "C" void indices(int* out, int nx, int ny, int nz) {
    dim3 block(4, 3, 2), grid((nx + 3) / 4, (ny + 2) / 3, (nz + 1) / 2);
    indices_kernel<<<grid, block>>>(out, dim3(nx, ny, nz));
}

namespace deep {
namespace inner {
template <typename T, int N>
__global__ void fill_kernel(T* out, T value) {
    out[threadIdx.x] = value * N;
}
struct Pair {
    int first, second;
};
__global__ void pair_kernel(int* out, Pair pair, const Pair* optional) {
    out[threadIdx.x] = optional ? -1 : pair.first * 10 + pair.second;
}
}  // namespace inner
}  // namespace deep

template <typename T>
__global__ void deduced_kernel(T* out, T a, int b) {
    out[threadIdx.x] = a + b;
}

#define LAUNCH(KERNEL, ...) KERNEL<<<1, 8>>>(__VA_ARGS__)
#define APPLY(...) [&] { __VA_ARGS__(); }()

typedef void (*Kernel)(int*, int, int);
struct Table {
    Kernel kernels[2];
    Kernel pick(int i) const { return kernels[i]; }
    void launch(int* out) const { kernels[1]<<<1, 8>>>(out, 5, 6); }
};

__global__ void default_kernel(int* out, int a, int b = 30) {
    out[threadIdx.x] = a + b;
}
__global__ void overloaded_kernel(int* out, int a) {
    out[threadIdx.x] = a;
}
__global__ void overloaded_kernel(int* out, float a) {
    out[threadIdx.x] = -int(a);
}

// Arguments that have no type of their own come through a macro.
extern "C" void forms_in_macros(int* out) {
    int calls = 0;
    auto next = [&] { return ++calls; };
    LAUNCH(deep::inner::pair_kernel, out, {4, 2}, 0);
    LAUNCH(deep::inner::pair_kernel, out + 8, {}, NULL);
    LAUNCH(deep::inner::pair_kernel, out + 16, deep::inner::Pair{next(), calls}, nullptr);
    LAUNCH(deduced_kernel, out + 24, next(), 2);
    LAUNCH(default_kernel, out + 32, 4);
    LAUNCH(default_kernel, out + 40, 4, 5);
    LAUNCH(overloaded_kernel, out + 48, 6);
    LAUNCH(overloaded_kernel, out + 56, 6.0f);
    Kernel kernel = deduced_kernel;
    LAUNCH(kernel, out + 64, 7, 0);
}

// Each form writes eight integers; the test knows which.
extern "C" void forms(int* out) {
    int calls = 0;
    auto next = [&] { return ++calls; };
    deep::inner::fill_kernel<int, 3><<<1, 8>>>(out, 7);
    ::deep::inner::fill_kernel<int, (8 > 4 ? 2 : 1)> <<<dim3(1), dim3{8}, 0, nullptr>>>(out + 8, 7);
    deduced_kernel<<<1, 8>>>(out + 16, next(), calls < 0 ? 1 : 2);  // next() once, not once per thread
    (calls > 0 ? &deduced_kernel<int> : nullptr)<<<1, 8>>>(out + 24, calls, 40);
    Table table{{&deduced_kernel<int>, deduced_kernel<int>}};
    table.kernels[0]<<<1, 8>>>(out + 32, 1, 2);
    table.pick(1)<<<1, 8>>>(out + 40, 3, 4);
    table.launch(out + 48);
    Kernel kernel = deduced_kernel;
    kernel<<<1, calls < 4 ? 8 : 4>>>(out + 56, 9, 1);
    deep::inner::pair_kernel<<<1, 8>>>(out + 64, {4, 2}, 0);
    deep::inner::pair_kernel
        <<<1,
           8>>>  // over several lines
        (out + 72, deep::inner::Pair{5, 1},
         NULL);
    LAUNCH((deep::inner::fill_kernel<int, 5>), out + 80, 2);
    APPLY([&] { deduced_kernel<int><<<1, 8>>>(out + 88, 6, 7); });
    if (calls == 1)
        deduced_kernel<<<1, 8>>>(out + 96, 1, 1);
    else
        deduced_kernel<<<1, 8>>>(out + 96, 0, 0);
    const int twelve = 12;
    [=](auto unused) { deduced_kernel<decltype(unused)><<<1, 8>>>(out + 104, twelve, 12); }(0);
}

// A constant of an inner lambda is a template argument, as where one dispatch macro stands in another.
extern "C" void nested(int* out, int degree) {
    [&] {
        using scalar = int;
        if (degree == 2) {
            const long times = 2;
            [&] { deep::inner::fill_kernel<scalar, times><<<1, 8>>>(out, 10); }();
        } else {
            const long times = 4;
            [&] { deep::inner::fill_kernel<scalar, times><<<1, 8>>>(out, 10); }();
        }
    }();
}

template <typename... Arguments>
void forward(void (*kernel)(Arguments...), Arguments... arguments) {
    kernel<<<1, 8>>>(arguments...);
}
extern "C" void forwarded(int* out) { forward(&deduced_kernel<int>, out, 20, 1); }

// Dynamic shared memory, in templates and under two names, beside static shared memory.
template <typename T>
__global__ void reverse_kernel(T* values) {
    extern __shared__ __align__(16) unsigned char bytes[];
    __shared__ T last;
    T* tile = reinterpret_cast<T*>(bytes);
    tile[threadIdx.x] = values[threadIdx.x];
    if (threadIdx.x == blockDim.x - 1) last = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = threadIdx.x == 0 ? last : tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" void reverse_float(float* values, int n) { reverse_kernel<<<1, n, n * sizeof(float)>>>(values); }
extern "C" void reverse_double(double* values, int n) { reverse_kernel<<<1, n, n * sizeof(double)>>>(values); }

extern __shared__ int file_scope[];
__global__ void prefix_kernel(int* values) {
    file_scope[threadIdx.x] = values[threadIdx.x];
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        __syncthreads();
        int left = threadIdx.x >= offset ? file_scope[threadIdx.x - offset] : 0;
        __syncthreads();
        file_scope[threadIdx.x] += left;
    }
    values[threadIdx.x] = file_scope[threadIdx.x];
}
extern "C" void prefix(int* values, int n) { prefix_kernel<<<1, n, n * sizeof(int)>>>(values); }

// More than 48 KB of dynamic shared memory takes an opt-in for that kernel.
__global__ void large_kernel(int* out, int words) {
    extern __shared__ int large[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) large[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = large[words - 1];
}
#define EIGHT(DO, N) DO(N##0) DO(N##1) DO(N##2) DO(N##3) DO(N##4) DO(N##5) DO(N##6) DO(N##7)
#define SIXTY_FOUR(DO) EIGHT(DO, 1) EIGHT(DO, 2) EIGHT(DO, 3) EIGHT(DO, 4) EIGHT(DO, 5) EIGHT(DO, 6) EIGHT(DO, 7) EIGHT(DO, 8)
#define DEFINE(N) __global__ void numbered_##N(int* out) { atomicAdd(out, 1); }
#define OPT_IN(N) cudaFuncSetAttribute(numbered_##N, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000);
SIXTY_FOUR(DEFINE)
DEFINE(last)
extern "C" void use_many(int* out) {
    SIXTY_FOUR(OPT_IN)
    OPT_IN(last)
    numbered_last<<<1, 64, 80000>>>(out);
    numbered_10<<<1, 64, 80000>>>(out);
}
template <int N>
__global__ void sized_kernel(int* out) {
    atomicAdd(out, N);
}
template <int N>
void use_sized(int* out, int bytes) {
    static cudaError_t once = cudaFuncSetAttribute(sized_kernel<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (once == cudaSuccess) sized_kernel<N><<<1, 1, bytes>>>(out);
}
extern "C" void use_instances(int* out) {
    use_sized<1>(out, 100000);
    use_sized<10>(out, 60000);
    use_sized<1>(out, 100000);
}
extern "C" void use_large(int* out, int words, int opt_in) {
    int bytes = words * sizeof(int);
    if (opt_in) cudaFuncSetAttribute(large_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    large_kernel<<<1, 64, bytes>>>(out, words);
}

__constant__ float coefficients[4];
__device__ int counter = 5;
__device__ float table[8];
__constant__ const int primes[] = {2, 3, 5, 7};
__device__ __noinline__ float polynomial(float x) {
    float sum = 0;
    for (int i = 3; i >= 0; --i) sum = sum * x + coefficients[i];
    return sum;
}
__global__ void __launch_bounds__(64, 2) symbol_kernel(float* out) {
    out[threadIdx.x] = polynomial(threadIdx.x) + primes[threadIdx.x % 4];
    table[threadIdx.x] = out[threadIdx.x];
    atomicAdd(&counter, 1);
}
extern "C" void symbols(float* out, int* count, float* copy) {
    const float host[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(coefficients, host, sizeof host);
    symbol_kernel<<<1, 8>>>(out);
    int value = 0;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    cudaMemcpy(count, &value, sizeof value, cudaMemcpyHostToDevice);
    void* address = nullptr;
    cudaGetSymbolAddress(&address, table);
    cudaMemcpy(copy, address, sizeof table, cudaMemcpyDeviceToDevice);
}

extern "C" void without_brackets(int* out) {
    int a = 30, b = 4;
    void* arguments[] = {&out, &a, &b};
    cudaLaunchKernel((const void*)deduced_kernel<int>, dim3(1), dim3(8), arguments, 0, 0);
}

// A kernel chosen by address: the types of its parameters are gone where it is launched.
template <class T, int FACTOR>
__global__ void scaled_kernel(T* out, T bias) {
    out[threadIdx.x] = static_cast<T>(threadIdx.x) * FACTOR + bias;
}
template <class T>
static const void* chosen_kernel(bool twice) {
    if (twice) return (const void*)scaled_kernel<T, 2>;
    return reinterpret_cast<const void*>(&scaled_kernel<T, 1>);
}
extern "C" void by_address(float* out, int twice, int* errors) {
    float bias = 0.5f;
    void* arguments[] = {&out, &bias};
    int error[2] = {cudaLaunchKernel(chosen_kernel<float>(twice), 1, 8, arguments, 0, 0),
                    cudaLaunchKernel(&bias, 1, 8, arguments, 0, 0)};
    cudaGetLastError();
    cudaMemcpy(errors, error, sizeof error, cudaMemcpyHostToDevice);
}

// Local arrays, recursion, early returns, and lambdas called on the device.
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void local_kernel(int* out, int n) {
    if (threadIdx.x >= n) return;
    int squares[16];
    for (int i = 0; i < 16; ++i) squares[i] = i * i;
    auto both = [&](int i) { return squares[i] + factorial(i % 8); };
    out[threadIdx.x] = both(threadIdx.x);
}
extern "C" void local(int* out, int n) { local_kernel<<<1, 16>>>(out, n); }

// One barrier between two questions of the same condition, which a compiler may answer once: it stays one barrier.
__global__ void halves_kernel(float* out, int n) {
    __shared__ float upper[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        if (t >= 32) upper[t] = t * i;
        __syncthreads();
        if (t < 32) sum += upper[t + 32];
        __syncthreads();
    }
    if (t >= 32) upper[t] = sum;
    __syncthreads();
    if (t >= 32) return;
    out[t] = sum + upper[t + 32];
}
__global__ void rows_kernel(float* out) {
    __shared__ float rows[3][32];
    if (threadIdx.y > 0) rows[threadIdx.y - 1][threadIdx.x] = threadIdx.y;
    __syncthreads();
    if (threadIdx.y > 0) return;
    out[threadIdx.x] = rows[0][threadIdx.x] + rows[1][threadIdx.x] + rows[2][threadIdx.x];
}
extern "C" void barriers_between_guards(float* sums, float* rows) {
    halves_kernel<<<1, 64>>>(sums, 3);
    rows_kernel<<<1, dim3(32, 4)>>>(rows);
}

// A class's alias may hide the template that it is made of.
namespace hidden {
template <class T, int N>
struct Row {
    T values[N];
    static constexpr int length = N;
};
template <int N>
struct Rows {
    using Row = Row<
        int, N>;
    Row first, second;
};
}  // namespace hidden
__global__ void hidden_kernel(int* out) {
    using Rows = hidden::Rows<4>;
    Rows rows = {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}};
    int i = threadIdx.x;
    out[i] = rows.first.values[i] * Rows::Row::length + rows.second.values[i];
}
extern "C" void hidden_template(int* out) { hidden_kernel<<<1, 4>>>(out); }

// Member templates of types that depend on parameters, called without the keyword template.
template <class T>
struct Reader {
    const T* values;
    template <int step>
    __device__ T load(int i) const {
        return values[step * i];
    }
    template <int factor>
    __device__ static T scaled(T value) {
        return factor * value;
    }
};
template <class T>
__global__ void members_kernel(Reader<T> reader, T* out) {
    const Reader<T>* pointer = &reader;
    int i = threadIdx.x, load = 3;
    bool between = load < 4 && load > (2);
    out[i] = Reader<T>::scaled<10>(reader.load<2>(i)) + pointer->load<1>(i) + between;
}
extern "C" void member_templates(const int* values, int* out) { members_kernel<<<1, 4>>>(Reader<int>{values}, out); }

// What ATen's gpu_kernel asserts of a lambda, and what libcu++ refuses.
template <class F>
__global__ void lambda_for_both_kernel(F f, int* out) {
    static_assert(__nv_is_extended_host_device_lambda_closure_type(F), "");
    static_assert(!__nv_is_extended_device_lambda_closure_type(F), "");
    out[threadIdx.x] = f(threadIdx.x);
}
extern "C" void lambda_for_both(int* out) {
    lambda_for_both_kernel<<<1, 4>>>([] __host__ __device__(int i) { return 3 * i; }, out);
}
