// CUB's primitives for blocks and warps: one launcher per family, several of its members in each.
#include <cub/cub.cuh>

struct Larger {
    template <typename T>
    __device__ T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};

struct Before {
    __device__ bool operator()(int a, int b) const { return a % 100 < b % 100; }
};

struct Moments {  // 24 bytes: wider than one exchange among lanes
    double sum, squares;
    long long count;
};

struct Combine {
    __device__ Moments operator()(const Moments& a, const Moments& b) const {
        return {a.sum + b.sum, a.squares + b.squares, a.count + b.count};
    }
};

template <int Threads, cub::BlockReduceAlgorithm Algorithm>
__global__ void reduce_kernel(const int* in, int* out, int valid) {
    typedef cub::BlockReduce<int, Threads, Algorithm> Reduce;
    __shared__ typename Reduce::TempStorage temp;
    int sum = Reduce(temp).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) out[0] = sum;
    __syncthreads();
    int part = Reduce(temp).Sum(in[threadIdx.x], valid);
    if (threadIdx.x == 0) out[1] = part;
    __syncthreads();
    int items[3] = {in[threadIdx.x], in[threadIdx.x] + 1000, 5};
    int most = Reduce(temp).Reduce(items, Larger());
    if (threadIdx.x == 0) out[2] = most;
}
extern "C" void block_reduce(const int* in, int* out, int threads, int valid) {
    if (threads == 1) reduce_kernel<1, cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, 1>>>(in, out, valid);
    if (threads == 20) reduce_kernel<20, cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, 20>>>(in, out, valid);
    if (threads == 128) reduce_kernel<128, cub::BLOCK_REDUCE_RAKING><<<1, 128>>>(in, out, valid);
    if (threads == 200) reduce_kernel<200, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<1, 200>>>(in, out, valid);
}

// The arg max of a two-dimensional block, moments of many bytes, and storage that CUB declares by itself.
__global__ void reduce_pairs_kernel(const float* in, float* out) {
    typedef cub::KeyValuePair<int, float> Pair;
    typedef cub::BlockReduce<Pair, 16, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 8> ArgMax;
    __shared__ typename ArgMax::TempStorage temp;
    int thread = threadIdx.y * 16 + threadIdx.x;
    Pair best = ArgMax(temp).Reduce(Pair(thread, in[thread]), cub::ArgMax());
    typedef cub::BlockReduce<Moments, 16, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 8> OfMoments;
    Moments all = OfMoments().Reduce(Moments{in[thread], in[thread] * in[thread], 1}, Combine());
    if (thread == 0) out[0] = best.key, out[1] = best.value, out[2] = all.sum, out[3] = all.squares, out[4] = all.count;
}
extern "C" void block_reduce_pairs(const float* in, float* out) { reduce_pairs_kernel<<<1, dim3(16, 8)>>>(in, out); }

struct Running {
    int total;
    __device__ int operator()(int aggregate) {
        int before = total;
        total += aggregate;
        return before;
    }
};

// Scans of 4 tiles of 128 threads with 2 items each, the prefix carried on by a callback.
__global__ void scan_kernel(const int* in, int* exclusive, int* inclusive, int* largest, int* aggregates) {
    typedef cub::BlockScan<int, 128> Scan;
    __shared__ typename Scan::TempStorage temp;
    Running carried{100};
    for (int tile = 0; tile < 4; ++tile) {
        int first = tile * 256 + threadIdx.x * 2, items[2] = {in[first], in[first + 1]}, result[2], aggregate;
        Scan(temp).ExclusiveSum(items, result, carried);
        exclusive[first] = result[0], exclusive[first + 1] = result[1];
        __syncthreads();
        Scan(temp).InclusiveSum(items, result, aggregate);
        inclusive[first] = result[0], inclusive[first + 1] = result[1];
        if (threadIdx.x == 77) aggregates[tile] = aggregate;
        __syncthreads();
        Scan(temp).ExclusiveScan(items[0], result[0], -1, Larger());
        largest[tile * 128 + threadIdx.x] = result[0];
        __syncthreads();
    }
}
extern "C" void block_scan(const int* in, int* exclusive, int* inclusive, int* largest, int* aggregates) {
    scan_kernel<<<1, 128>>>(in, exclusive, inclusive, largest, aggregates);
}

template <cub::BlockLoadAlgorithm LoadBy, cub::BlockStoreAlgorithm StoreBy>
__global__ void move_kernel(const float* in, float* blocked, float* out, int valid) {
    typedef cub::BlockLoad<float, 64, 8, LoadBy> Load;
    typedef cub::BlockStore<float, 64, 8, StoreBy> Store;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } temp;
    float items[8];
    Load(temp.load).Load(in, items, valid, -1.0f);
    for (int i = 0; i < 8; ++i) blocked[threadIdx.x * 8 + i] = items[i];
    __syncthreads();
    Store(temp.store).Store(out, items, valid);
    __syncthreads();
    Load(temp.load).Load(in + 512, items);
    __syncthreads();
    Store(temp.store).Store(out + 512, items);
}
extern "C" void block_move(int way, const float* in, float* blocked, float* out, int valid) {
    if (way == 0) move_kernel<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT><<<1, 64>>>(in, blocked, out, valid);
    if (way == 1) move_kernel<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED><<<1, 64>>>(in, blocked, out, valid);
    if (way == 2) move_kernel<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE><<<1, 64>>>(in, blocked, out, valid);
    if (way == 3) move_kernel<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE><<<1, 64>>>(in, blocked, out, valid);
    if (way == 4)
        move_kernel<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED><<<1, 64>>>(in, blocked, out, valid);
}

template <typename Key>
__global__ void sort_kernel(Key* keys, int* values, int descending, int first_bit, int last_bit) {
    typedef cub::BlockRadixSort<Key, 96, 4, int> Sort;
    __shared__ typename Sort::TempStorage temp;
    Key mine[4];
    int carried[4];
    cub::LoadDirectBlocked(threadIdx.x, keys, mine);
    cub::LoadDirectBlocked(threadIdx.x, values, carried);
    if (descending)
        Sort(temp).SortDescendingBlockedToStriped(mine, carried, first_bit, last_bit);
    else
        Sort(temp).Sort(mine, carried, first_bit, last_bit);
    if (descending) {
        cub::StoreDirectStriped<96>(threadIdx.x, keys, mine);
        cub::StoreDirectStriped<96>(threadIdx.x, values, carried);
    } else {
        cub::StoreDirectBlocked(threadIdx.x, keys, mine);
        cub::StoreDirectBlocked(threadIdx.x, values, carried);
    }
}
#define SORT_OF(NAME, TYPE)                                                                       \
    extern "C" void block_sort_##NAME(TYPE* keys, int* values, int descending, int first, int last) { \
        sort_kernel<<<1, 96>>>(keys, values, descending, first, last);                            \
    }
SORT_OF(int, int)
SORT_OF(uchar, unsigned char)
SORT_OF(float, float)
SORT_OF(longlong, long long)
SORT_OF(half, __half)

__global__ void merge_sort_kernel(int* keys, int* values, int valid) {
    typedef cub::BlockMergeSort<int, 100, 3, int> Sort;
    __shared__ typename Sort::TempStorage temp;
    int mine[3], carried[3];
    cub::LoadDirectBlocked(threadIdx.x, keys, mine);
    cub::LoadDirectBlocked(threadIdx.x, values, carried);
    Sort(temp).Sort(mine, carried, Before(), valid, 99);
    cub::StoreDirectBlocked(threadIdx.x, keys, mine);
    cub::StoreDirectBlocked(threadIdx.x, values, carried);
}
extern "C" void block_merge_sort(int* keys, int* values, int valid) { merge_sort_kernel<<<1, 100>>>(keys, values, valid); }

// Histogram of 64 bins; heads and tails of runs; differences to the left; values of the next thread.
__global__ void neighbours_kernel(int* in, unsigned* histogram, int* heads, int* tails, int* differences, int* next) {
    typedef cub::BlockHistogram<int, 128, 2, 64, cub::BLOCK_HISTO_ATOMIC> Histogram;
    typedef cub::BlockDiscontinuity<int, 128> Runs;
    typedef cub::BlockAdjacentDifference<int, 128> Differences;
    typedef cub::BlockShuffle<int, 128> Shuffle;
    __shared__ unsigned counts[64];
    __shared__ typename Histogram::TempStorage histogram_temp;
    __shared__ typename Runs::TempStorage runs_temp;
    __shared__ typename Differences::TempStorage differences_temp;
    __shared__ typename Shuffle::TempStorage shuffle_temp;
    int items[2], marked[2], ended[2], moved[2];
    cub::LoadDirectBlocked(threadIdx.x, in, items);
    Histogram(histogram_temp).Histogram(items, counts);
    Runs(runs_temp).FlagHeadsAndTails(marked, ended, items, cub::Inequality());
    cub::StoreDirectBlocked(threadIdx.x, heads, marked);
    cub::StoreDirectBlocked(threadIdx.x, tails, ended);
    Differences(differences_temp).SubtractLeft(items, moved, cub::Difference());
    cub::StoreDirectBlocked(threadIdx.x, differences, moved);
    moved[1] = -1;
    Shuffle(shuffle_temp).Down(items, moved);
    cub::StoreDirectBlocked(threadIdx.x, next, moved);
    __syncthreads();
    if (threadIdx.x < 64) histogram[threadIdx.x] = counts[threadIdx.x];
}
extern "C" void block_neighbours(int* in, unsigned* histogram, int* heads, int* tails, int* differences, int* next) {
    neighbours_kernel<<<1, 128>>>(in, histogram, heads, tails, differences, next);
}

template <int Width>
__global__ void warp_kernel(const int* in, const int* flags, int* sums, int* scans, int* segments) {
    typedef cub::WarpReduce<int, Width> Reduce;
    typedef cub::WarpScan<int, Width> Scan;
    __shared__ typename Reduce::TempStorage reduce_temp[64 / Width];
    __shared__ typename Scan::TempStorage scan_temp[64 / Width];
    int i = threadIdx.x, warp = i / Width, result, aggregate;
    sums[i] = Reduce(reduce_temp[warp]).Sum(in[i]);
    sums[64 + i] = Reduce(reduce_temp[warp]).Reduce(in[i], Larger(), Width - 1);
    Scan(scan_temp[warp]).InclusiveSum(in[i], result, aggregate);
    scans[i] = result;
    scans[64 + i] = aggregate;
    Scan(scan_temp[warp]).ExclusiveScan(in[i], result, 7, Larger());
    scans[128 + i] = result;
    segments[i] = Reduce(reduce_temp[warp]).HeadSegmentedSum(in[i], flags[i]);
    segments[64 + i] = Reduce(reduce_temp[warp]).TailSegmentedSum(in[i], flags[i]);
}
extern "C" void warp_primitives(int width, const int* in, const int* flags, int* sums, int* scans, int* segments) {
    if (width == 32) warp_kernel<32><<<1, 64>>>(in, flags, sums, scans, segments);
    if (width == 16) warp_kernel<16><<<1, 64>>>(in, flags, sums, scans, segments);
    if (width == 4) warp_kernel<4><<<1, 64>>>(in, flags, sums, scans, segments);
}

__global__ void warp_move_kernel(const float* in, float* out) {
    typedef cub::WarpLoad<float, 4, cub::WARP_LOAD_TRANSPOSE, 16> Load;
    typedef cub::WarpStore<float, 4, cub::WARP_STORE_TRANSPOSE, 16> Store;
    typedef cub::WarpMergeSort<float, 4, 16> Sort;
    __shared__ typename Load::TempStorage load_temp[4];
    __shared__ typename Store::TempStorage store_temp[4];
    __shared__ typename Sort::TempStorage sort_temp[4];
    int warp = threadIdx.x / 16;
    float items[4];
    Load(load_temp[warp]).Load(in + warp * 64, items);
    Sort(sort_temp[warp]).Sort(items, [](float a, float b) { return a < b; });
    Store(store_temp[warp]).Store(out + warp * 64, items);
}
extern "C" void warp_move(const float* in, float* out) { warp_move_kernel<<<1, 64>>>(in, out); }

// Every thread's item through shared memory to the few threads that each add up a segment.
template <int Threads>
__global__ void raking_kernel(const int* in, int* out) {
    typedef cub::BlockRakingLayout<int, Threads> Layout;
    static_assert(Layout::UNGUARDED);
    __shared__ typename Layout::TempStorage temp;
    *Layout::PlacementPtr(temp, threadIdx.x) = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= Layout::RAKING_THREADS) return;
    int sum = 0;
    for (int i = 0; i < Layout::SEGMENT_LENGTH; ++i) sum += Layout::RakingPtr(temp, threadIdx.x)[i];
    out[threadIdx.x] = sum;
}
extern "C" void raking(const int* in, int* out, int threads) {
    if (threads == 16) raking_kernel<16><<<1, 16>>>(in, out);
    if (threads == 64) raking_kernel<64><<<1, 64>>>(in, out);
    if (threads == 128) raking_kernel<128><<<1, 128>>>(in, out);
}

// Wrong on purpose: the storage is used again although warps may still be reading it.
__global__ void reuse_kernel(const int* in, int* out, int wait) {
    typedef cub::BlockReduce<int, 64> Reduce;
    __shared__ typename Reduce::TempStorage temp;
    int first = Reduce(temp).Sum(in[threadIdx.x]);
    if (wait) __syncthreads();
    int second = Reduce(temp).Sum(2 * in[threadIdx.x]);
    if (threadIdx.x == 0) out[0] = first, out[1] = second;
}
extern "C" void reuse(const int* in, int* out, int wait) { reuse_kernel<<<1, 64>>>(in, out, wait); }
