// Values that depend on how threads are executed. `execution NAME [schedule]` prints the numbers that the kernel wrote.
#include <cooperative_groups.h>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" void simt_set_schedule(int, unsigned long);
extern "C" void simt_grid_barrier();
extern "C" const char* simt_take_findings();

// ---- barriers -------------------------------------------------------------------------------------------------------------

template <int TILE>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        as[y][x] = row < n && t * TILE + x < n ? a[row * n + t * TILE + x] : 0;
        bs[y][x] = column < n && t * TILE + y < n ? b[(t * TILE + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
__global__ void barrier_votes(int* out) {
    int t = threadIdx.x;
    int count = __syncthreads_count(t % 3 == 0), all = __syncthreads_and(t < 70), some = __syncthreads_or(t == 69);
    int none = __syncthreads_or(t == 70), nearly = __syncthreads_and(t < 69);
    if (t == 0) out[0] = count, out[1] = all, out[2] = some, out[3] = none, out[4] = nearly;
}
// Threads leave one by one; the barrier waits for those that are left.
__global__ void leaving(int* out) {
    for (int round = 0; round < 64; ++round) {
        if (threadIdx.x < round) return;
        out[round] = __syncthreads_count(1);
    }
}
__global__ void prefix_sum(int* out, int n) {
    extern __shared__ int values[];
    int t = threadIdx.x;
    values[t] = t + 1;
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        int add = t >= step ? values[t - step] : 0;
        __syncthreads();
        values[t] += add;
        __syncthreads();
    }
    out[t] = values[t];
}

// ---- warps ----------------------------------------------------------------------------------------------------------------

__global__ void shuffles(int* out) {
    int lane = threadIdx.x;
    out[lane] = __shfl_down_sync(0xffffffff, lane, 3, 8);
    out[32 + lane] = __shfl_up_sync(0xffffffff, lane, 3, 8);
    out[64 + lane] = __shfl_xor_sync(0xffffffff, lane, 5, 16);
    out[96 + lane] = __shfl_sync(0xffffffff, lane, 9, 4);
}
__global__ void votes(unsigned* out) {
    int lane = threadIdx.x;
    unsigned even = __ballot_sync(0xffffffff, lane % 2 == 0);
    int any = __any_sync(0xffffffff, lane == 17), all = __all_sync(0xffffffff, lane < 31);
    unsigned same = __match_any_sync(0xffffffff, lane / 10);
    if (lane == 12) out[0] = even, out[1] = any, out[2] = all, out[3] = same;
}
// Lanes 20-31 have returned; the full mask then means the others.
__global__ void shuffle_after_return(int* out) {
    int lane = threadIdx.x;
    if (lane >= 20) return;
    int sum = lane;
    unsigned left = __ballot_sync(0xffffffff, 1);
    for (int step = 16; step; step /= 2) {
        int other = __shfl_down_sync(0xffffffff, sum, step);
        if (lane + step < 20) sum += other;
    }
    if (lane == 0) out[0] = sum, out[1] = left;
}
// A partial warp: 40 threads, so the second warp has 8 lanes.
__global__ void partial_warp(int* out) {
    unsigned present = __ballot_sync(0xffffffff, 1);
    out[threadIdx.x] = __popc(present);
}
__global__ void nested_branches(int* out) {
    int lane = threadIdx.x, value = lane;
    if (lane < 16) {
        value = __shfl_xor_sync(0x0000ffff, value, 1);
        if (lane < 8) value = __shfl_sync(0x000000ff, value, 7) + 100;
        else value = __shfl_sync(0x0000ff00, value, 8) + 200;
        value = __shfl_xor_sync(0x0000ffff, value, 8);
    } else {
        value = __shfl_sync(0xffff0000, value, 31);
    }
    out[lane] = __shfl_xor_sync(0xffffffff, value, 16);
}
__global__ void active_in_branch(unsigned* out) {
    if (threadIdx.x % 3 == 0) {
        unsigned mask = __activemask();
        out[threadIdx.x] = mask;
        if (__ballot_sync(mask, 1) != mask) out[threadIdx.x] = 0;
    } else {
        out[threadIdx.x] = __activemask();
    }
}

// ---- atomics, waiting, and many blocks ------------------------------------------------------------------------------------------

__global__ void ticket(int* out, unsigned* arrived, int blocks) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        out[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(arrived, 1u) == blocks - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    for (int i = 1; i < blocks; ++i) out[0] += out[i];
}
// The first thread waits for the last one, which has not started when it begins to wait.
__global__ void handshake(int* out, int* flag) {
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {
        }
        out[0] = 7;
    }
    if (threadIdx.x == blockDim.x - 1) atomicExch(flag, 1);
}
__global__ void spin_lock(int* out, int* lock) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            out[0] = out[0] + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
__global__ void coordinates(int* out, dim3 grid, dim3 block) {
    unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[b * block.x * block.y * block.z + t] += b * 1000 + t;
}
__global__ void order(int* out, int* next) { out[atomicAdd(next, 1)] = blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void grid_rounds(int* out, int blocks) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = blockIdx.x;
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 0) out[blockIdx.x] += 1;
        simt_grid_barrier();
        int sum = 0;
        for (int i = 0; i < blocks; ++i) sum += out[i];
        simt_grid_barrier();
        if (threadIdx.x == 0) out[blocks + blockIdx.x] += sum * (mine + 1);
    }
}
__global__ void grid_facts(int* out) {   // whether the grid can meet, and whether time went on meanwhile
    auto grid = cooperative_groups::this_grid();
    long long before = clock64();
    if (grid.is_valid()) grid.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = 2 * grid.is_valid() + (clock64() > before);
}
__global__ void throws() { if (threadIdx.x == 3) throw std::runtime_error("from a kernel"); __syncthreads(); }
__device__ int descend(int depth) {
    volatile char frame[2048];
    frame[depth % 2048] = char(depth);
    return depth > 0 ? descend(depth - 1) + frame[depth % 2048] : 0;
}
__global__ void recurses(int* out, int depth) { out[0] = descend(depth); }
__global__ void registers(double* out) {   // values that live across switches, in registers if the compiler can
    double a = threadIdx.x, b = a * 2, c = a * 3, d = a * 5, e = a * 7, f = a * 11, g = a * 13, h = a * 17;
    long i = threadIdx.x, j = i * 19, k = i * 23, l = i * 29, m = i * 31;
    for (int round = 0; round < 3; ++round) {
        __syncthreads();
        a += 1, b += a, c += b, d += c, e += d, f += e, g += f, h += g, i += 1, j += i, k += j, l += k, m += l;
    }
    out[threadIdx.x] = a + b + c + d + e + f + g + h + i + j + k + l + m;
}

// ---- cases ------------------------------------------------------------------------------------------------------------------------

template <class T>
static T* zeros(int n) {
    T* p;
    cudaMalloc(&p, n * sizeof(T));
    cudaMemset(p, 0, n * sizeof(T));
    return p;
}
template <class T>
static void print(const T* device, int n) {
    std::vector<T> host(n);
    cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
    for (T value : host) printf("%.17g ", double(value));
    puts("");
}

static void matmul_case(int n) {
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;
    float *da = zeros<float>(n * n), *db = zeros<float>(n * n), *dc = zeros<float>(n * n);
    cudaMemcpy(da, a.data(), 4 * n * n, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), 4 * n * n, cudaMemcpyHostToDevice);
    int tiles = (n + 7) / 8;
    matmul<8><<<dim3(tiles, tiles), dim3(8, 8)>>>(da, db, dc, n);
    print(dc, n * n);
}

int main(int count, char** arguments) {
    std::string name = arguments[1];
    simt_set_schedule(count > 2 ? atoi(arguments[2]) : 0, 12345);
    int *out = zeros<int>(4096), *cell = zeros<int>(4);
    auto* words = reinterpret_cast<unsigned*>(out);
    if (name == "matmul") matmul_case(19);
    if (name == "barrier_votes") { barrier_votes<<<1, 70>>>(out); print(out, 5); }
    if (name == "leaving") { leaving<<<1, 64>>>(out); print(out, 64); }
    if (name == "prefix_sum") { prefix_sum<<<1, 200, 800>>>(out, 200); print(out, 200); }
    if (name == "shuffles") { shuffles<<<1, 32>>>(out); print(out, 128); }
    if (name == "votes") { votes<<<1, 32>>>(words); print(words, 4); }
    if (name == "shuffle_after_return") { shuffle_after_return<<<1, 32>>>(out); print(words, 2); }
    if (name == "partial_warp") { partial_warp<<<1, 40>>>(out); print(out, 40); }
    if (name == "nested_branches") { nested_branches<<<1, 32>>>(out); print(out, 32); }
    if (name == "active_in_branch") { active_in_branch<<<1, 32>>>(words); print(words, 32); }
    if (name == "ticket") { ticket<<<20, 64>>>(out, reinterpret_cast<unsigned*>(cell), 20); print(out, 1); }
    if (name == "handshake") { handshake<<<1, 100>>>(out, cell); print(out, 1); }
    if (name == "spin_lock") { spin_lock<<<4, 96>>>(out, cell); print(out, 1); }
    if (name == "coordinates") { dim3 g(3, 2, 2), b(5, 3, 2); coordinates<<<g, b>>>(out, g, b); print(out, 360); }
    if (name == "order") { order<<<3, 4>>>(out, cell); print(out, 12); }
    if (name == "registers") { double* d = zeros<double>(64); registers<<<1, 64>>>(d); print(d, 64); }
    if (name == "grid_rounds") {
        int blocks = 5;
        void* parameters[] = {&out, &blocks};
        cudaLaunchCooperativeKernel(grid_rounds, dim3(5), dim3(40), parameters, 0, nullptr);
        print(out, 10);
    }
    if (name == "grid_facts") {
        int* rest = out + 3;
        void* parameters[] = {&out};
        cudaLaunchCooperativeKernel(grid_facts, dim3(3), dim3(40), parameters, 0, nullptr);
        grid_facts<<<2, 40>>>(rest);
        print(out, 5);
    }
    if (name == "os_threads") {   // as autograd's: launches from several OS threads, and one that launches nothing else
        int* outs[4];
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) outs[i] = zeros<int>(200);
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] { for (int n = 0; n < 20; ++n) prefix_sum<<<1, 200, 800>>>(outs[i], 200); });
        for (auto& thread : threads) thread.join();
        for (int* each : outs) print(each, 200);
    }
    if (name == "overflow") { recurses<<<2, 3>>>(out, 1000); print(out, 1); }
    if (name == "recursion") { recurses<<<2, 3>>>(out, 20); print(out, 1); }
    if (name == "throws") {
        try {
            throws<<<1, 32>>>();
        } catch (const std::runtime_error& error) {
            puts(error.what());
        }
        leaving<<<1, 64>>>(out);   // and the next launch is none the worse
        print(out, 1);
        simt_take_findings();
    }
    fputs(simt_take_findings(), stdout);
    return cudaGetLastError();
}
