// Launches whose blocks run on several OS threads. `workers NAME [TIMES]` prints the numbers that the kernel wrote, and says so
// if they were not the same every time. Every block works for a while first, so that further OS threads are worth starting.
#include <cuda/atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" const char* simt_take_findings();
extern "C" void simt_reset();
extern "C" void simt_set_watchdog(double);

constexpr int kBlocks = 48, kThreads = 64, kFailing = 20;

// Not the same for all blocks: later ones get to their effects before earlier ones.
__device__ float works(int seed) {
    int rounds = 200 + seed * 7919 % 13 * 150;
    float x = 1 + float(seed % 7);
    for (int i = 0; i < rounds; ++i) x = x * 0.999f + 1.0f / (1 + x);
    return x;
}

__global__ void independent(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = works(blockIdx.x * 64 + threadIdx.x); }

// The distance to the shared memory of the first block says on which OS thread a block ran.
__global__ void on_threads(unsigned long long* out) {
    __shared__ int here;
    here = int(works(blockIdx.x));
    out[blockIdx.x] = reinterpret_cast<unsigned long long>(&here) + (here < 0);
}

// Two blocks that see one another begin, which only blocks on two OS threads do. A while, for one worker to end it.
__global__ void at_once(int* out, volatile int* begun) {
    float x = works(blockIdx.x);
    if (threadIdx.x != 0 || blockIdx.x < 10 || blockIdx.x > 11) return;
    begun[blockIdx.x] = x > 0;
    for (long i = 0; i < 3'000'000'000l && !begun[21 - blockIdx.x]; ++i) {}
    out[blockIdx.x - 10] = begun[21 - blockIdx.x];
}

__global__ void float_sum(float* out) {
    float x = works(blockIdx.x * 64 + threadIdx.x);
    atomicAdd(out, x / 3);
    atomicAdd(out + 1 + threadIdx.x % 3, 1 / x);
}

__global__ void shared_histogram(unsigned* out) {
    __shared__ unsigned bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < 3; ++i) atomicAdd(&bins[unsigned(works(threadIdx.x + i) * 8) % 32], 1u);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// The last block to arrive adds what all have left.
__global__ void last_block(float* out, float* partial, unsigned* arrived) {
    __shared__ bool is_last;
    float x = works(blockIdx.x * 64 + threadIdx.x);
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
    if (threadIdx.x % 32 == 0) partial[blockIdx.x * 2 + threadIdx.x / 32] = x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last || threadIdx.x != 0) return;
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x * 2; ++i) sum += partial[i];
    out[0] = sum;
    out[1] = float(blockIdx.x);
}

// The block takes its number by an atomic, looks back at the blocks before it, and publishes its own sum: as single-pass scans.
__global__ void look_back(int* out, unsigned* ticket, int* value, int* state) {
    __shared__ int number, before;
    if (threadIdx.x == 0) number = int(atomicAdd(ticket, 1u));
    __syncthreads();
    int own = int(works(number) * 10) % 100;
    if (threadIdx.x == 0) {
        value[number] = own;
        __threadfence();
        atomicExch(&state[number], 1);
        int sum = 0;
        for (int earlier = number - 1; earlier >= 0; --earlier) {
            while (atomicAdd(&state[earlier], 0) == 0) {}
            __threadfence();
            sum += value[earlier];
        }
        before = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[number] = before + own;
}

// The same with flags that nothing but a volatile read sees.
__global__ void volatile_look_back(int* out, volatile int* sum, volatile int* state) {
    int own = int(works(blockIdx.x) * 10) % 100;
    if (threadIdx.x != 0) return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (state[blockIdx.x - 1] == 0) {}
        __threadfence();
        before = sum[blockIdx.x - 1];
    }
    sum[blockIdx.x] = before + own;
    __threadfence();
    state[blockIdx.x] = 1;
    out[blockIdx.x] = before + own;
}

__global__ void nap_look_back(int* out, volatile int* state) {
    int own = int(works(blockIdx.x) * 10) % 100;
    if (threadIdx.x != 0) return;
    if (blockIdx.x > 0) while (state[blockIdx.x - 1] == 0) __nanosleep(100);
    out[blockIdx.x] = own;
    __threadfence();
    state[blockIdx.x] = 1;
}

// Every fifth block waits for one that comes after it; what its shared memory holds must wait with it.
__global__ void waits_for_later(float* out, int* flag) {
    __shared__ float kept[kThreads];
    extern __shared__ float also[];
    int b = blockIdx.x, t = threadIdx.x;
    kept[t] = works(b * 64 + t);
    also[t] = float(b * 100 + t);
    __syncthreads();
    bool waits = b % 5 == 1 && b + 3 < int(gridDim.x);
    if (t == 0 && waits) while (atomicAdd(&flag[b + 3], 0) == 0) {}
    __syncthreads();
    atomicAdd(out, kept[(t + 1) % kThreads]);
    out[1 + b] = also[(t + 7) % kThreads] - float((t + 7) % kThreads) + (waits ? 0.5f : 0);
    if (t == 0) atomicExch(&flag[b], 1);
}

// What a flag of cuda::atomic announces to an earlier block.
__global__ void stored_flags(int* out, cuda::atomic<int, cuda::thread_scope_device>* flag) {
    float x = works(blockIdx.x);
    if (threadIdx.x != 0) return;
    int seen = flag[(blockIdx.x + 1) % gridDim.x].load();   // of the next block: in order, never set but for the last one
    flag[blockIdx.x].store(x > 0);
    out[blockIdx.x] = seen;
}

__global__ void prints() {
    float x = works(blockIdx.x);
    if (threadIdx.x % 32 == 0) printf("block %d warp %d %d\n", blockIdx.x, threadIdx.x / 32, x > 0);
    if (threadIdx.x == 5) printf("a whole line\n");
}

__device__ int* nothing;
__global__ void fails(const char* how, int* out) {
    char kind = how[0];
    bool is_later = blockIdx.x > kFailing;
    float x = is_later ? 1 : works(blockIdx.x * 64);   // later blocks come to their mistake first
    if (threadIdx.x == 0 && is_later && kind != 'n') *nothing = 1;
    if (threadIdx.x == 0 && is_later && kind == 'n') assert(x < 0);
    if (threadIdx.x == 3 && blockIdx.x == kFailing) {
        if (kind == 'n') *nothing = 1;
        if (kind == 'a') assert(x < 0);
        if (kind == 't') __trap();
        if (kind == 'e') throw std::runtime_error("of block " + std::to_string(blockIdx.x));
    }
    out[blockIdx.x] = int(x);
}
// Blocks that never end, since what ends them is not to be: an earlier block fails.
__global__ void endless_behind(volatile int* flag) {
    float x = works(blockIdx.x);
    if (blockIdx.x < kFailing) return;
    if (blockIdx.x > kFailing) while (!*flag) {}
    for (int i = 0; i < 20; ++i) x += works(i);
    assert(x < 0);
}

__device__ int deep(volatile int* frame, int depth) {
    volatile int own[64] = {frame[0] + depth};
    return depth == 0 ? own[0] : deep(own, depth - 1) + own[0];
}
__global__ void overflows() {
    if (threadIdx.x != 0) return;
    volatile int frame[1] = {blockIdx.x > kFailing ? 1 : works(blockIdx.x * 64) > 0};
    if (blockIdx.x >= kFailing) frame[0] = deep(frame, 100'000);
    else printf("%d\n", blockIdx.x), frame[0] = 0;
}

// For a value that no block changes, and without an end.
__global__ void waits_in_vain(int* flag) {
    float x = works(blockIdx.x);
    if (threadIdx.x == 0 && blockIdx.x == 7) while (atomicAdd(flag, 0) == (x < 0)) {}
}
__global__ void spins(volatile int* flag) {
    float x = works(blockIdx.x);
    __syncthreads();
    if (threadIdx.x == 9 && blockIdx.x == kFailing) while (*flag == (x < 0)) {}
}

struct Node {
    int number;
    Node* next;
};
__global__ void on_heap(unsigned long long* out, Node** first) {
    float x = works(blockIdx.x);
    if (threadIdx.x % 16 != 0) return;
    auto* node = static_cast<Node*>(malloc(sizeof(Node)));
    auto* scrap = new int[1 + blockIdx.x];
    node->number = int(blockIdx.x * 64 + threadIdx.x) + (x < 0);
    node->next = *first;
    *first = node;
    out[blockIdx.x * 4 + threadIdx.x / 16] = reinterpret_cast<unsigned long long>(node);
    delete[] scrap;
}

__device__ int counter = 5;
__constant__ int step = 2;
__global__ void symbols(int* out) {
    float x = works(blockIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(&counter, step) + (x < 0);
}

__global__ void clocks(long long* out) {
    float x = works(blockIdx.x);
    long long begin = clock64();
    while (clock64() - begin < 3000) {}
    if (threadIdx.x == 0) out[blockIdx.x] = clock64() - begin + (x < 0);
}

// ---- cases ------------------------------------------------------------------------------------------------------------------

template <typename T>
T* zeros(size_t count) {
    T* pointer = nullptr;
    cudaMalloc(&pointer, count * sizeof(T));
    cudaMemset(pointer, 0, count * sizeof(T));
    return pointer;
}

using Values = std::vector<double>;
template <typename T>
Values values_of(T* device, size_t count) {
    std::vector<T> host(count);
    if (cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) return {};
    return Values(host.begin(), host.end());
}

template <typename T>
Values case_of(size_t count, const std::function<void(T*)>& launch) {
    T* out = zeros<T>(count);
    launch(out);
    Values values = values_of(out, count);
    cudaFree(out);
    return values;
}

Values heap_case() {
    Node** first = zeros<Node*>(1);
    Values nodes = case_of<unsigned long long>(kBlocks * 4, [&](auto* out) { on_heap<<<kBlocks, kThreads>>>(out, first); });
    double lowest = nodes[0];
    for (double& each : nodes) each -= lowest;   // the order of allocations
    cudaDeviceReset();   // as empty for the next one
    return nodes;
}

// Its error, and what was found: kind, block and thread.
Values ended(const std::function<void()>& launch) {
    launch();
    double error = cudaGetLastError();
    std::string found = simt_take_findings();
    int block = -1, thread = -1;
    if (size_t at = found.find("\"block\":["); at != found.npos) sscanf(&found[at], "\"block\":[%d,0,0],\"thread\":[%d", &block, &thread);
    puts(found.substr(0, found.find(',')).c_str());
    simt_reset();
    return {error, double(block), double(thread)};
}

Values failure(const char* how) {
    char* kind = zeros<char>(1);
    cudaMemcpy(kind, how, 1, cudaMemcpyHostToDevice);
    std::string thrown;
    try {
        case_of<int>(kBlocks, [&](int* out) { fails<<<kBlocks, kThreads>>>(kind, out); });
    } catch (const std::runtime_error& error) {
        thrown = error.what();
    }
    double error = cudaGetLastError();
    std::string found = simt_take_findings();
    double digest = double(std::hash<std::string>()(thrown + found.substr(0, found.find("\"address\"")) +
                                                    found.substr(std::min(found.find("\"block\""), found.size()))));
    printf("%s", thrown.c_str());
    fputs(found.c_str(), stdout);
    simt_reset();
    return {error, digest};
}

const std::map<std::string, std::function<Values()>> cases{
    {"independent", [] { return case_of<float>(kBlocks * 64, [](float* out) { independent<<<kBlocks, kThreads>>>(out); }); }},
    {"on_threads",
     [] {
         Values places = case_of<unsigned long long>(kBlocks, [](auto* out) { on_threads<<<kBlocks, kThreads>>>(out); });
         return Values{double(std::set<double>(places.begin(), places.end()).size())};
     }},
    {"at_once", [] { int* begun = zeros<int>(64); return case_of<int>(2, [=](int* out) { at_once<<<kBlocks, kThreads>>>(out, begun); }); }},
    {"float_sum", [] { return case_of<float>(4, [](float* out) { float_sum<<<kBlocks, kThreads>>>(out); }); }},
    {"shared_histogram", [] { return case_of<unsigned>(32, [](unsigned* out) { shared_histogram<<<kBlocks, kThreads>>>(out); }); }},
    {"last_block",
     [] {
         float* partial = zeros<float>(kBlocks * 2);
         unsigned* arrived = zeros<unsigned>(1);
         return case_of<float>(2, [=](float* out) { last_block<<<kBlocks, kThreads>>>(out, partial, arrived); });
     }},
    {"look_back",
     [] {
         int *value = zeros<int>(kBlocks), *state = zeros<int>(kBlocks);
         unsigned* ticket = zeros<unsigned>(1);
         return case_of<int>(kBlocks, [=](int* out) { look_back<<<kBlocks, kThreads>>>(out, ticket, value, state); });
     }},
    {"volatile_look_back",
     [] {
         int *sum = zeros<int>(kBlocks), *state = zeros<int>(kBlocks);
         return case_of<int>(kBlocks, [=](int* out) { volatile_look_back<<<kBlocks, kThreads>>>(out, sum, state); });
     }},
    {"nap_look_back", [] { int* state = zeros<int>(kBlocks); return case_of<int>(kBlocks, [=](int* out) { nap_look_back<<<kBlocks, kThreads>>>(out, state); }); }},
    {"waits_for_later",
     [] {
         int* flag = zeros<int>(kBlocks);
         return case_of<float>(1 + kBlocks, [=](float* out) { waits_for_later<<<kBlocks, kThreads, kThreads * sizeof(float)>>>(out, flag); });
     }},
    {"stored_flags",
     [] {
         auto* flag = zeros<cuda::atomic<int, cuda::thread_scope_device>>(kBlocks);
         return case_of<int>(kBlocks, [=](int* out) { stored_flags<<<kBlocks, kThreads>>>(out, flag); });
     }},
    {"prints", [] { prints<<<kBlocks, kThreads>>>(); return Values{}; }},
    {"null", [] { return failure("n"); }},
    {"assert", [] { return failure("a"); }},
    {"trap", [] { return failure("t"); }},
    {"exception", [] { return failure("e"); }},
    {"endless_behind",
     [] {
         int* flag = zeros<int>(1);
         endless_behind<<<kBlocks, kThreads>>>(flag);
         double error = cudaGetLastError();
         simt_take_findings();
         simt_reset();
         return Values{error};
     }},
    {"waits_in_vain", [] { int* flag = zeros<int>(1); return ended([=] { waits_in_vain<<<kBlocks, kThreads>>>(flag); }); }},
    {"spins", [] { int* flag = zeros<int>(1); simt_set_watchdog(0.3); return ended([=] { spins<<<kBlocks, kThreads>>>(flag); }); }},
    {"overflow", [] { setbuf(stdout, nullptr); overflows<<<kBlocks, kThreads>>>(); return Values{}; }},
    {"heap", heap_case},
    {"symbols",
     [] {
         int start = 7, increment = 3;
         cudaMemcpyToSymbol(counter, &start, sizeof start);
         cudaMemcpyToSymbol(step, &increment, sizeof increment);
         Values values = case_of<int>(kBlocks, [](int* out) { symbols<<<kBlocks, kThreads>>>(out); });
         cudaMemcpyFromSymbol(&start, counter, sizeof start);
         values.push_back(start);
         return values;
     }},
    {"clocks", [] { return case_of<long long>(kBlocks, [](auto* out) { clocks<<<kBlocks, kThreads>>>(out); }); }},
    {"graph",
     [] {
         cudaStream_t stream;
         cudaStreamCreate(&stream);
         return case_of<float>(4, [=](float* out) {
             cudaGraph_t graph;
             cudaGraphExec_t runs;
             cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
             float_sum<<<kBlocks, kThreads, 0, stream>>>(out);
             cudaStreamEndCapture(stream, &graph);
             cudaGraphInstantiate(&runs, graph, 0);
             for (int i = 0; i < 2; ++i) cudaGraphLaunch(runs, stream);
             cudaStreamSynchronize(stream);
         });
     }},
    {"os_threads",
     [] {
         std::vector<float*> outs(3);
         for (float*& out : outs) out = zeros<float>(4);
         std::vector<std::thread> threads;
         for (float* out : outs) threads.emplace_back([out] { float_sum<<<kBlocks, kThreads>>>(out); });
         for (auto& thread : threads) thread.join();
         Values all;
         for (float* out : outs)
             for (double value : values_of(out, 4)) all.push_back(value);
         return all;
     }},
    {"fork",
     [] {
         auto launch = [] { return case_of<float>(4, [](float* out) { float_sum<<<kBlocks, kThreads>>>(out); }); };
         Values before = launch();
         fflush(stdout);
         pid_t child = fork();
         if (child == 0) _exit(launch() == before ? 0 : 1);
         int status = 0;
         waitpid(child, &status, 0);
         before.push_back(status);
         return before;
     }},
};

int main(int count, char** arguments) {
    const auto& run = cases.at(arguments[1]);
    int times = count > 2 ? atoi(arguments[2]) : 1;
    Values first = run();
    for (double value : first) printf("%.9g ", value);
    for (int i = 1; i < times; ++i)
        if (run() != first) printf("\nnot the same in run %d", i);
    printf("\n");
    fputs(simt_take_findings(), stdout);
    return cudaGetLastError();
}
