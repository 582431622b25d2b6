// Host code that touches managed or pinned memory, before and after it waits for what uses it: `managed [NAME...]` runs cases
// and prints, for each, "# NAME" and what was found, as JSON lines. Line marks: "// <- NAME".
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

extern "C" const char* simt_take_findings();

constexpr int kCount = 64;
int host_sum;

struct List {
    int* values;
};

__global__ void fill(int* values, int value) { values[threadIdx.x] = value; }
__global__ void fill_list(List* list) { list->values[threadIdx.x] = 1; }
__global__ void read_all(const int* values, int* out) { out[threadIdx.x] = values[threadIdx.x]; }

void sum(const int* values) {
    host_sum = 0;
    for (int i = 0; i < kCount; ++i) host_sum += values[i];  // <- sum
}
void sum_in_order(void* values) { sum(static_cast<const int*>(values)); }

template <class T>
T* managed(int count = kCount) {
    T* pointer;
    cudaMallocManaged(&pointer, count * sizeof(T));
    return pointer;
}

int* pinned_block() {
    int* pointer;
    cudaMallocHost(&pointer, kCount * sizeof(int));
    memset(pointer, 0, kCount * sizeof(int));
    return pointer;
}

struct Case {
    const char* name;
    void (*run)(int* values, cudaStream_t stream);
};
const Case kCases[] = {
    {"reads_at_once", [](int* values, cudaStream_t stream) { fill<<<1, kCount, 0, stream>>>(values, 1), sum(values); }},
    {"writes_what_is_read",
     [](int* values, cudaStream_t stream) {
         read_all<<<1, kCount, 0, stream>>>(values, managed<int>());
         values[3] = 4;  // <- overwrites
     }},
    {"behind_a_pointer",
     [](int* values, cudaStream_t stream) {
         List* list = managed<List>(1);
         list->values = values;
         fill_list<<<1, kCount, 0, stream>>>(list);
         sum(list->values);
     }},
    {"waits_for_another_stream",
     [](int* values, cudaStream_t stream) {
         cudaStream_t other;
         cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
         fill<<<1, kCount, 0, stream>>>(values, 1);
         cudaStreamSynchronize(other);
         sum(values);
     }},
    {"waits", [](int* values, cudaStream_t stream) { fill<<<1, kCount, 0, stream>>>(values, 1), cudaDeviceSynchronize(), sum(values); }},
    {"copies_first",
     [](int* values, cudaStream_t) {
         int copied;
         fill<<<1, kCount>>>(values, 1);
         cudaMemcpy(&copied, values, sizeof copied, cudaMemcpyDeviceToHost);
         sum(values);
     }},
    {"asks_until_done",
     [](int* values, cudaStream_t stream) {
         fill<<<1, kCount, 0, stream>>>(values, 1);
         while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
         sum(values);
     }},
    {"in_the_order_of_the_stream",
     [](int* values, cudaStream_t stream) {
         fill<<<1, kCount, 0, stream>>>(values, 1);
         cudaLaunchHostFunc(stream, sum_in_order, values);
     }},
    {"both_read",
     [](int* values, cudaStream_t stream) {
         for (int i = 0; i < kCount; ++i) values[i] = i;
         read_all<<<1, kCount, 0, stream>>>(values, managed<int>());
         sum(values);
     }},
    {"copied_and_read",
     [](int* values, cudaStream_t stream) {
         int* pinned = pinned_block();
         cudaMemcpyAsync(pinned, values, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
         sum(pinned);
     }},
    {"overwritten_source",
     [](int* values, cudaStream_t stream) {
         int* pinned = pinned_block();
         cudaMemcpyAsync(values, pinned, kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
         pinned[kCount - 1] = 7;  // <- overwrites_source
     }},
    {"copied_and_awaited",
     [](int* values, cudaStream_t stream) {
         int* pinned = pinned_block();
         cudaMemcpyAsync(pinned, values, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
         cudaStreamSynchronize(stream);
         sum(pinned);
     }},
    {"copied_at_once",
     [](int* values, cudaStream_t) {
         int* pinned = pinned_block();
         cudaMemcpy(pinned, values, kCount * sizeof(int), cudaMemcpyDeviceToHost);
         sum(pinned);
     }},
    {"source_is_read",
     [](int* values, cudaStream_t stream) {
         int* pinned = pinned_block();
         cudaMemcpyAsync(values, pinned, kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
         sum(pinned);
     }},
    {"polls_a_flag",
     [](int* values, cudaStream_t stream) {
         int *pinned = pinned_block(), *flag = pinned_block();
         cudaMemcpyAsync(pinned, values, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
         fill<<<1, 1, 0, stream>>>(flag, 1);
         while (*static_cast<volatile int*>(flag) == 0) {}
         sum(pinned);
     }},
    {"frees_first",
     [](int* values, cudaStream_t stream) {
         int* other = managed<int>();
         fill<<<1, kCount, 0, stream>>>(values, 1);
         cudaFree(other);
         sum(values);
     }},
    {"another_part", [](int* values, cudaStream_t stream) { fill<<<1, kCount, 0, stream>>>(values + kCount, 1), sum(values); }},
};

int main(int count, char** arguments) {
    std::set<std::string> wanted(arguments + 1, arguments + count);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (const Case& each : kCases) {
        if (!wanted.empty() && !wanted.count(each.name)) continue;
        each.run(managed<int>(2 * kCount), stream);
        cudaDeviceSynchronize();
        printf("# %s\n", each.name);
        fputs(simt_take_findings(), stdout);
    }
}
