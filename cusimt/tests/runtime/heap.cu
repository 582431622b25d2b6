// Memory that kernels take from the device's heap. One case per run: the results, the error, and what was found.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "simt_api.h"

struct Node {
    int value;
    Node* next;
    __device__ Node(int given, Node* behind) : value(given), next(behind) {}
    __device__ ~Node() { value = -1; }
};
struct Shape {
    __device__ virtual int corners() const { return 0; }
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    __device__ int corners() const override { return 4; }
};

__device__ int* kept[64];

__global__ void allocates(int* out) {   // each thread an array of its own, of which others read
    kept[threadIdx.x] = static_cast<int*>(malloc(4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) kept[threadIdx.x][i] = 10 * threadIdx.x + i;
    __syncthreads();
    out[threadIdx.x] = kept[(threadIdx.x + 1) % blockDim.x][3];
}
__global__ void reads(int* out) { out[threadIdx.x] = kept[threadIdx.x][2]; }
__global__ void releases() { free(kept[threadIdx.x]); }
__global__ void makes_objects(int* out) {
    Node* list = nullptr;
    for (int i = 0; i < 5; ++i) list = new Node(i, list);
    int sum = 0;
    while (list) {
        Node* rest = list->next;
        sum += list->value;
        delete list;
        list = rest;
    }
    Shape* shape = new Square;
    auto* wide = new double4[2]{};
    auto* checked = new (std::nothrow) char[3];
    alignas(Node) char place[sizeof(Node)];
    Node* placed = new (place) Node(100, nullptr);
    out[threadIdx.x] = sum + shape->corners() + int(wide[1].w) + placed->value + (checked != nullptr);
    placed->~Node();
    delete shape;
    delete[] wide;
    delete[] checked;
}
__global__ void takes_much(int* out, size_t bytes) {
    void* large = malloc(bytes);
    char* array = new char[bytes];
    out[0] = large != nullptr;
    out[1] = array != nullptr;
    free(large);
    delete[] array;
    out[2] = malloc(0) != nullptr;
}
__global__ void takes_until_full(int* out, size_t bytes) {
    int count = 0;
    while (malloc(bytes)) ++count;
    out[0] = count;
}
__global__ void takes_again(int* out, int rounds) {   // other threads used the same addresses in this launch
    for (int i = 0; i < rounds; ++i) {
        auto* number = static_cast<volatile int*>(malloc(sizeof(int)));
        *number = int(blockIdx.x);
        out[blockIdx.x] = *number;
        free(const_cast<int*>(number));
    }
}
__global__ void runs_over() { kept[0][4] = 1; }               // <- runs_over
__global__ void runs_under() { kept[0][-1] = 1; }             // <- runs_under
__global__ void uses_freed(int* out) {
    free(kept[0]);
    out[0] = kept[0][0];                                      // <- uses_freed
}
__global__ void reads_unwritten(int* out) {
    int* fresh = new int[2];
    fresh[0] = 1;
    out[0] = fresh[0] + fresh[1];                             // <- reads_unwritten
}
__global__ void frees_twice() {
    free(kept[0]);
    free(kept[0]);                                            // <- frees_twice
}
__global__ void frees_inside() { delete[] (kept[0] + 1); }    // <- frees_inside
__global__ void frees_of_host(int* out) { free(out); }        // <- frees_of_host
__global__ void writes_together() { kept[0][0] = int(blockIdx.x); }   // <- writes_together

void show(const char* what, cudaError_t error) { printf("%s %s\n", what, cudaGetErrorName(error)); }

int main(int, char** arguments) {
    const char* name = arguments[1];
    int *out, results[32] = {};
    auto is = [name](const char* other) { return strcmp(name, other) == 0; };
    if (is("limits")) {
        size_t limit = 0;
        cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
        printf("%zu\n", limit);
        show("set", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 16));
    }
    cudaMalloc(&out, sizeof results);
    cudaMemset(out, 0, sizeof results);
    size_t free_before, free_after, total;
    cudaMemGetInfo(&free_before, &total);
    if (is("makes_objects")) makes_objects<<<1, 32>>>(out);
    else if (is("limits")) takes_much<<<1, 1>>>(out, (1 << 16) + 1);
    else if (is("takes_until_full")) takes_until_full<<<1, 1>>>(out, 1 << 20);
    else if (is("takes_again")) takes_again<<<32, 1>>>(out, 300);
    else if (is("reads_unwritten")) reads_unwritten<<<1, 1>>>(out);
    else if (is("frees_of_host")) frees_of_host<<<1, 1>>>(out);
    else allocates<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    if (is("outlives")) {
        cudaMemset(out, 0, sizeof results);
        reads<<<1, 32>>>(out);
        releases<<<1, 32>>>();
    }
    if (is("runs_over")) runs_over<<<1, 1>>>();
    if (is("runs_under")) runs_under<<<1, 1>>>();
    if (is("uses_freed")) uses_freed<<<1, 1>>>(out);
    if (is("frees_twice")) frees_twice<<<1, 1>>>();
    if (is("frees_inside")) frees_inside<<<1, 1>>>();
    if (is("writes_together")) writes_together<<<2, 1>>>();
    if (is("copies")) {
        int* inside = nullptr;
        cudaMemcpyFromSymbol(&inside, kept, sizeof inside);
        show("from", cudaMemcpy(results, inside, 4, cudaMemcpyDeviceToHost));
        show("to", cudaMemcpy(inside, results, 4, cudaMemcpyHostToDevice));
        show("between", cudaMemcpy(out, inside, 4, cudaMemcpyDeviceToDevice));
        show("fill", cudaMemset(inside, 0, 4));
        show("free", cudaFree(inside));
        reads<<<1, 32>>>(out);   // which is all still there
    }
    if (is("limits")) {
        show("set", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
        cudaGetLastError();
    }
    cudaMemGetInfo(&free_after, &total);
    printf("%s\n", free_before == free_after ? "apart" : "counted");
    cudaError_t error = cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    for (int result : results) printf("%d ", result);
    printf("\n%s\n%s", cudaGetErrorName(error), simt_take_findings());
}
