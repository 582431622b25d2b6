// CUB's device-wide algorithms. Each launcher makes both calls: how much temporary storage, then the work.
#include <cub/cub.cuh>

#define TWICE(CALL, ...)                            \
    do {                                            \
        void* temp = nullptr;                       \
        size_t bytes = 0;                           \
        CALL(temp, bytes, __VA_ARGS__);             \
        cudaMalloc(&temp, bytes);                   \
        CALL(temp, bytes, __VA_ARGS__);             \
        cudaFree(temp);                             \
    } while (0)

struct Square {
    __host__ __device__ float operator()(const float& x) const { return x * x; }
};
struct Larger {
    __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct ByLastDigit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

extern "C" void reductions(const float* in, float* out, cub::KeyValuePair<int, float>* arg, int* places, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    TWICE(cub::DeviceReduce::Sum, in, out, n, stream);
    TWICE(cub::DeviceReduce::Max, in, out + 1, n);
    TWICE(cub::DeviceReduce::Min, in, out + 2, n);
    TWICE(cub::DeviceReduce::Reduce, in, out + 3, n, Larger(), -5.0f);
    cub::TransformInputIterator<float, Square, const float*> squares(in, Square());
    TWICE(cub::DeviceReduce::Sum, squares, out + 4, n);
    cub::CountingInputIterator<int> counting(1);
    TWICE(cub::DeviceReduce::Sum, counting, out + 5, n);
    TWICE(cub::DeviceReduce::ArgMax, in, arg, n);
    TWICE(cub::DeviceReduce::ArgMin, in, arg + 1, n);
    TWICE(cub::DeviceReduce::ArgMax, in, arg + 2, 0);
    TWICE(cub::DeviceReduce::ArgMin, in, out + 6, places, 0);
    cudaStreamDestroy(stream);
}

extern "C" void half_sums(const __half* in, __half* sums, int n, const int* offsets) {
    TWICE(cub::DeviceReduce::Sum, in, sums, n);
    TWICE(cub::DeviceSegmentedReduce::Sum, in, sums + 1, 1, offsets, offsets + 1);
}
extern "C" void segments(const float* in, const int* offsets, float* sums, float* largest, int count) {
    TWICE(cub::DeviceSegmentedReduce::Sum, in, sums, count, offsets, offsets + 1);
    TWICE(cub::DeviceSegmentedReduce::Max, in, largest, count, offsets, offsets + 1);
}

extern "C" void scans(int* data, int* exclusive, int* inclusive, int* running, const int* keys, int* by_key, int n) {
    TWICE(cub::DeviceScan::ExclusiveSum, data, exclusive, n);
    TWICE(cub::DeviceScan::InclusiveSum, data, inclusive, n);
    TWICE(cub::DeviceScan::ExclusiveScan, data, running, cub::Max(), -3, n);
    TWICE(cub::DeviceScan::InclusiveSumByKey, keys, data, by_key, n);
    TWICE(cub::DeviceScan::InclusiveSum, data, data, n);  // in place
}

extern "C" void sort_floats(const float* keys, float* out, const int* values, int* values_out, int n, int descending) {
    if (descending)
        TWICE(cub::DeviceRadixSort::SortPairsDescending, keys, out, values, values_out, n);
    else
        TWICE(cub::DeviceRadixSort::SortPairs, keys, out, values, values_out, n);
}

extern "C" void sort_in_buffers(unsigned* keys, unsigned* other, unsigned* result, int n, int first_bit, int last_bit) {
    cub::DoubleBuffer<unsigned> buffers(keys, other);
    TWICE(cub::DeviceRadixSort::SortKeys, buffers, n, first_bit, last_bit);
    cudaMemcpy(result, buffers.Current(), n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
}

extern "C" void sort_segments(const int* keys, int* out, const int* offsets, int* merged, int n, int count) {
    TWICE(cub::DeviceSegmentedRadixSort::SortKeys, keys, out, n, count, offsets, offsets + 1);
    cudaMemcpy(merged, keys, n * sizeof(int), cudaMemcpyDeviceToDevice);
    TWICE(cub::DeviceMergeSort::StableSortKeys, merged, n, ByLastDigit());
}

extern "C" void selections(const int* in, const char* flags, int* even, int* flagged, int* unique, int* lengths, int* counts,
                           int n) {
    TWICE(cub::DeviceSelect::If, in, even, counts, n, IsEven());
    TWICE(cub::DeviceSelect::Flagged, in, flags, flagged, counts + 1, n);
    TWICE(cub::DeviceRunLengthEncode::Encode, in, unique, lengths, counts + 2, n);
    TWICE(cub::DeviceSelect::Unique, in, unique, counts + 3, n);
}

extern "C" void histogram(const float* samples, int* even, int* range, const float* bounds, int n) {
    TWICE(cub::DeviceHistogram::HistogramEven, samples, even, 11, -1.0f, 1.0f, n);
    TWICE(cub::DeviceHistogram::HistogramRange, samples, range, 5, bounds, n);
}

// Differences in place and to the right; where each value would stand among sorted bounds.
__global__ void place_kernel(const float* bounds, int count, const float* values, int* lower, int* upper, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    lower[i] = cub::LowerBound(bounds, count, values[i]);
    upper[i] = cub::UpperBound(bounds, count, values[i]);
}
extern "C" void neighbours(int* data, int* right, const float* bounds, int count, const float* values, int* lower, int* upper,
                           int n) {
    TWICE(cub::DeviceAdjacentDifference::SubtractRightCopy, data, right, n);
    TWICE(cub::DeviceAdjacentDifference::SubtractLeft, data, n, cub::Sum());
    place_kernel<<<1, cub::DivideAndRoundUp(n, 32) * 32>>>(bounds, count, values, lower, upper, n);
}

// Errors: temporary storage that is too small, and an input that is shorter than said.
extern "C" void too_little(const int* in, int* out, int n, int* answers) {
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n);
    void* temp;
    cudaMalloc(&temp, bytes);
    size_t fewer = bytes - 1;
    int answer = cub::DeviceScan::InclusiveSum(temp, fewer, in, out, n);
    cudaMemcpy(answers, &answer, sizeof answer, cudaMemcpyHostToDevice);
    cudaFree(temp);
}
extern "C" void overrun(const int* in, int* out, int n) { TWICE(cub::DeviceScan::InclusiveSum, in, out, n); }
