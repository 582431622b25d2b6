// Thrust and libcu++, NVIDIA's own headers, on simulated device memory.
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <list>

__global__ void add_index(float* values, int n) {
    int i = threadIdx.x;
    if (i < n) values[i] += i;
}

// Vectors of host and device, elements from the host, a kernel in between.
extern "C" void vectors(const float* in, float* out, int n) {
    thrust::device_ptr<const float> first(in);
    thrust::device_vector<float> values(first, first + n);
    thrust::sort(values.begin(), values.end());
    add_index<<<1, 256>>>(thrust::raw_pointer_cast(values.data()), n);
    values[0] = 1000.0f;
    thrust::host_vector<float> host = values;
    host[1] = values[0] + values.back();
    thrust::copy(host.begin(), host.end(), thrust::device_pointer_cast(out));
}

struct Square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

// Reductions, with policies and functors of several kinds.
extern "C" void reductions(const float* in, float* out, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float results[5];
    results[0] = thrust::reduce(thrust::device, in, in + n);
    results[1] = thrust::reduce(thrust::cuda::par.on(stream), in, in + n, -1e9f, thrust::maximum<float>());
    results[2] = thrust::transform_reduce(thrust::cuda::par_nosync.on(stream), in, in + n, Square(), 0.0f, thrust::plus<float>());
    results[3] = thrust::count_if(thrust::device, in, in + n, [] __device__(float x) { return x > 0; });
    results[4] = thrust::min_element(thrust::device, in, in + n) - in;
    cudaMemcpy(out, results, sizeof results, cudaMemcpyHostToDevice);
    cudaStreamDestroy(stream);
}

// Sorted by key in descending order, then keys without repetition and the sums of their values.
extern "C" void by_key(int* keys, int* values, int* unique, int* sums, int* runs, int* last, int n) {
    thrust::stable_sort_by_key(thrust::device, keys, keys + n, values, thrust::greater<int>());
    thrust::device_ptr<int> k(keys), v(values);
    auto ends = thrust::reduce_by_key(k, k + n, v, thrust::device_pointer_cast(unique), thrust::device_pointer_cast(sums));
    int count = ends.first - thrust::device_pointer_cast(unique);
    cudaMemcpy(runs, &count, sizeof count, cudaMemcpyHostToDevice);
    thrust::inclusive_scan(v, v + n, v);
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(k, v));
    auto end = thrust::remove_if(pairs, pairs + n, [] __device__(thrust::tuple<int, int> t) { return thrust::get<0>(t) % 2; });
    count = end - pairs;
    cudaMemcpy(last, &count, sizeof count, cudaMemcpyHostToDevice);
}

// Through host memory that is not in one piece.
extern "C" void scattered(float* out) {
    std::list<int> list = {5, 3, 4};
    thrust::device_vector<int> numbers(list.begin(), list.end());
    thrust::device_vector<float> squares(3);
    thrust::transform(numbers.begin(), numbers.end(), squares.begin(), Square());
    std::list<float> back(3);
    thrust::copy(squares.begin(), squares.end(), back.begin());
    thrust::copy(back.begin(), back.end(), thrust::device_pointer_cast(out));
}

// Wrong on purpose: one element too many.
extern "C" void overrun(const float* in, float* out, int n) { thrust::copy(thrust::device, in, in + n + 1, out); }

// libcu++ in a kernel.
__global__ void standard_kernel(const float* in, float* out, int n) {
    cuda::std::optional<float> found;
    cuda::std::array<float, 2> ends{in[0], in[n - 1]};
    float least = cuda::std::numeric_limits<float>::max();
    for (int i = 0; i < n; ++i) {
        if (in[i] < least) least = in[i];
        if (!found && in[i] > 0) found = in[i];
    }
    cuda::std::tuple<float, float> both(least, found.value_or(-1.0f));
    out[0] = cuda::std::get<0>(both), out[1] = cuda::std::get<1>(both), out[2] = ends[1];
}
extern "C" void standard(const float* in, float* out, int n) { standard_kernel<<<1, 1>>>(in, out, n); }
