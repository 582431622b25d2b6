// CUDA graphs: one case per run, which prints what it saw. Expectations are in test_runtime_graphs.py.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#define SHOW(call) printf("%s\n", cudaGetErrorName(call))
#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t error = (call);                                              \
        if (error) printf("line %d: %s\n", __LINE__, cudaGetErrorName(error));   \
    } while (0)

__global__ void add(float* x, float term, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += term;  // <- add
}
__global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;  // <- scale
}
template <typename T>
__global__ void fill(T* x, T value, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] = value;
}
__global__ void beyond(float* x, int n) {
    x[n + threadIdx.x] = 1;  // <- beyond
}
struct Mixed {
    char tag;
    double weight;
    float3 shift;
};
__global__ void mixed(char a, double b, short c, Mixed d, float* out, bool e) {
    out[0] = float(a + b + c + d.tag + d.weight + d.shift.x + d.shift.y + d.shift.z + e);
}
__device__ float on_device[4];

float* ramp(int n) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = float(i);
    float* device;
    cudaMalloc(&device, n * sizeof(float));
    cudaMemcpy(device, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return device;
}
void show(const float* device, int n) {
    std::vector<float> values(n);
    CHECK(cudaMemcpy(values.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (float value : values) printf("%g ", value);
    printf("\n");
}
cudaStream_t stream_of(unsigned flags = cudaStreamDefault) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, flags);
    return stream;
}
cudaEvent_t an_event() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    return event;
}
cudaGraphExec_t executable_of(cudaGraph_t graph) {
    cudaGraphExec_t made = nullptr;
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    return made;
}
void run(cudaGraphExec_t graph, cudaStream_t stream) {
    CHECK(cudaGraphLaunch(graph, stream));
    CHECK(cudaStreamSynchronize(stream));
}
size_t count_nodes(cudaGraph_t graph) {
    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    return count;
}

// Arguments are those of the capture; nothing runs before the launch; each launch runs all of it.
void capture() {
    float *x = ramp(4), host[4] = {};
    cudaStream_t stream = stream_of();
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    float term = 10;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, stream>>>(x, term, 4);
    term = 1000;
    scale<<<1, 4, 0, stream>>>(x, 2, 4);
    CHECK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemsetAsync(x, 0, sizeof(float), stream));
    CHECK(cudaStreamIsCapturing(stream, &status));
    printf("%d\n", status);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaStreamIsCapturing(stream, &status));
    printf("%d %zu\n", status, count_nodes(graph));
    show(x, 4);
    cudaGraphExec_t exec = executable_of(graph);
    CHECK(cudaGraphDestroy(graph));
    run(exec, stream);
    show(x, 4);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
    run(exec, stream);
    show(x, 4);
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
}

// Work on `later` from here on comes after what is on `earlier` so far: a fork of a capture, or its join.
void let_wait(cudaStream_t later, cudaStream_t earlier) {
    cudaEvent_t event = an_event();
    CHECK(cudaEventRecord(event, earlier));
    CHECK(cudaStreamWaitEvent(later, event, 0));
}

// A second stream joins by an event, and is joined again. Its kernel may run beside the other one.
void fork_and_join() {
    float *x = ramp(4), *y = ramp(4);
    cudaStream_t one = stream_of(), two = stream_of();
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, one>>>(x, 1, 4);
    let_wait(two, one);
    CHECK(cudaStreamIsCapturing(two, &status));
    add<<<1, 4, 0, two>>>(y, 2, 4);
    scale<<<1, 4, 0, one>>>(x, 3, 4);
    let_wait(one, two);
    add<<<1, 4, 0, one>>>(y, 100, 4);
    CHECK(cudaStreamEndCapture(one, &graph));
    size_t edges = 0, roots = 0;
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    printf("%d %zu %zu %zu\n", status, count_nodes(graph), edges, roots);
    cudaGraphExec_t exec = executable_of(graph);
    run(exec, one);
    run(exec, two);
    show(x, 4);
    show(y, 4);
}

// Two branches write the same memory, and nothing orders them.
void run_unordered_branches(bool on_default) {
    float* x = ramp(4);
    cudaStream_t one = stream_of(), two = stream_of();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    let_wait(two, one);
    add<<<1, 4, 0, two>>>(x, 2, 4);
    scale<<<1, 4, 0, one>>>(x, 3, 4);
    let_wait(one, two);
    CHECK(cudaStreamEndCapture(one, &graph));
    run(executable_of(graph), on_default ? nullptr : one);
    show(x, 4);
}
void unordered_branches() { run_unordered_branches(false); }
void unordered_on_default() { run_unordered_branches(true); }

// A stream that did not wait for a graph, which is gone when that is found.
void after_the_graph() {
    float *x = ramp(4), *y = ramp(4);
    cudaStream_t one = stream_of(), two = stream_of(), late = stream_of(cudaStreamNonBlocking);
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    let_wait(two, one);
    add<<<1, 4, 0, one>>>(y, 2, 4);
    add<<<1, 4, 0, two>>>(x, 2, 4);  // <- captured in two
    let_wait(one, two);
    CHECK(cudaStreamEndCapture(one, &graph));
    cudaGraphExec_t exec = executable_of(graph);
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    std::vector<std::string> others(100, std::string(200, '?'));  // in the place of what the graph freed
    CHECK(cudaMemsetAsync(x, 0, 16, late));
    CHECK(cudaDeviceSynchronize());
}

// A thread captures while another gives a node new parameters.
void threads() {
    float *x = ramp(4), *y = ramp(4);
    cudaStream_t one = stream_of(), two = stream_of();
    cudaGraph_t graph = nullptr, other;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    add<<<1, 4, 0, one>>>(x, 1, 4);
    CHECK(cudaStreamEndCapture(one, &graph));
    size_t count = 1;
    cudaGraphNode_t node;
    CHECK(cudaGraphGetNodes(graph, &node, &count));
    std::thread changes([&] {
        for (int i = 0; i < 2000; ++i) {
            cudaKernelNodeParams kernel;
            float term = float(i);
            CHECK(cudaGraphKernelNodeGetParams(node, &kernel));
            kernel.kernelParams[1] = &term;
            CHECK(cudaGraphKernelNodeSetParams(node, &kernel));
        }
    });
    CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 2000; ++i) add<<<1, 4, 0, two>>>(y, 1, 4);
    CHECK(cudaStreamEndCapture(two, &other));
    changes.join();
    run(executable_of(graph), one);
    run(executable_of(other), two);
    show(x, 4);
    show(y, 4);
}

// The same with an edge between them, through the API of nodes.
void node_edges() {
    float* x = ramp(4);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    float term = 2, factor = 3;
    int n = 4;
    void *add_arguments[] = {&x, &term, &n}, *scale_arguments[] = {&x, &factor, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)add;
    kernel.gridDim = dim3(1), kernel.blockDim = dim3(4);
    kernel.kernelParams = add_arguments;
    cudaGraphNode_t first, second, nodes[3];
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.func = (void*)scale;
    kernel.kernelParams = scale_arguments;
    CHECK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
    CHECK(cudaGraphAddDependencies(graph, &first, &second, 1));
    SHOW(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
    SHOW(cudaGraphAddDependencies(graph, &first, &first, nullptr, 1));
    term = factor = 0;
    size_t count = 3;
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    printf("%zu %d %d %d\n", count, nodes[0] == first, nodes[1] == second, nodes[2] == nullptr);
    cudaGraphNode_t from, to;
    count = 1;
    CHECK(cudaGraphGetEdges(graph, &from, &to, nullptr, &count));
    printf("%zu %d %d\n", count, from == first, to == second);
    count = 1;
    CHECK(cudaGraphNodeGetDependentNodes(first, &to, nullptr, &count));
    printf("%zu %d\n", count, to == second);
    run(executable_of(graph), nullptr);
    show(x, 4);
    CHECK(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
    CHECK(cudaGraphAddDependencies(graph, &second, &first, nullptr, 1));
    run(executable_of(graph), nullptr);
    show(x, 4);
    CHECK(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
    cudaGraphInstantiateParams parameters = {};
    cudaGraphExec_t exec;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &parameters));
    printf("%d\n", parameters.result_out);
    SHOW(cudaGraphDestroyNode(second));
    printf("%zu\n", count_nodes(graph));
    SHOW(cudaGraphNodeGetType(second, nullptr));
}

void all_nodes() {
    float *x = ramp(4), host[4] = {};
    cudaGraph_t graph, inner, part;
    cudaGraphNode_t empty, fill_node, copy, called, child, recorded, to_symbol, from_symbol;
    static std::string order;
    cudaEvent_t event = an_event();
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    cudaMemsetParams fill_parameters = {x, 0, 0x3f800000, 4, 2, 1};  // two floats of 1
    CHECK(cudaGraphAddMemsetNode(&fill_node, graph, &empty, 1, &fill_parameters));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, &fill_node, 1, on_device, x, sizeof host, 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &to_symbol, 1, x + 3, on_device, 4, 4, cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &from_symbol, 1, host, x, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams host_parameters = {[](void* text) { order += static_cast<const char*>(text); }, const_cast<char*>("h")};
    CHECK(cudaGraphAddHostNode(&called, graph, &copy, 1, &host_parameters));
    CHECK(cudaGraphCreate(&inner, 0));
    host_parameters.userData = const_cast<char*>("i");
    CHECK(cudaGraphAddHostNode(&child, inner, nullptr, 0, &host_parameters));
    CHECK(cudaGraphAddChildGraphNode(&child, graph, &called, 1, inner));
    CHECK(cudaGraphDestroy(inner));
    CHECK(cudaGraphChildGraphNodeGetGraph(child, &part));
    SHOW(cudaGraphDestroy(part));
    CHECK(cudaGraphAddEventRecordNode(&recorded, graph, &child, 1, event));
    cudaGraphNodeType type;
    for (cudaGraphNode_t node : {empty, fill_node, copy, called, child, recorded}) {
        CHECK(cudaGraphNodeGetType(node, &type));
        printf("%d ", type);
    }
    printf("\n");
    cudaGraph_t clone;
    cudaGraphNode_t found;
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphNodeFindInClone(&found, called, clone));
    host_parameters.userData = const_cast<char*>("c");
    CHECK(cudaGraphHostNodeSetParams(found, &host_parameters));
    run(executable_of(graph), nullptr);
    run(executable_of(clone), nullptr);
    printf("%g %g %g %g %s\n", host[0], host[1], host[2], host[3], order.c_str());
    SHOW(cudaEventQuery(event));
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams uploaded = {};
    uploaded.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &uploaded));
    unsigned long long flags = 0;
    CHECK(cudaGraphExecGetFlags(exec, &flags));
    printf("%llu\n", flags);
    fill_parameters.height = 2, fill_parameters.width = 1, fill_parameters.pitch = 8;
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, fill_node, &fill_parameters));  // in one dimension only
    fill_parameters.elementSize = 3;
    SHOW(cudaGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill_parameters));
    cudaGraphNode_t twice[] = {empty, empty};
    SHOW(cudaGraphAddEmptyNode(&empty, graph, twice, 2));
}

// What a captured launch says of itself, and what becomes of it.
void parameters() {
    float *x = ramp(4), *y = ramp(4);
    cudaStream_t stream = stream_of();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    mixed<<<dim3(1, 1, 1), 1, 64, stream>>>('\1', 2.5, 3, Mixed{4, 5.5, {6, 7, 8}}, x, true);
    fill<<<1, 4, 0, stream>>>(y, 7.0f, 4);  // deduces T
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[2];
    size_t count = 2;
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    cudaKernelNodeParams kernel;
    CHECK(cudaGraphKernelNodeGetParams(nodes[0], &kernel));
    auto* d = static_cast<Mixed*>(kernel.kernelParams[3]);
    printf("%d %u %d %g %d %d %g %g %d %d\n", kernel.func == (void*)mixed, kernel.sharedMemBytes,
           *static_cast<char*>(kernel.kernelParams[0]), *static_cast<double*>(kernel.kernelParams[1]),
           *static_cast<short*>(kernel.kernelParams[2]), d->tag, d->weight, d->shift.z,
           *static_cast<float**>(kernel.kernelParams[4]) == x, *static_cast<bool*>(kernel.kernelParams[5]));
    cudaGraphExec_t exec = executable_of(graph);
    run(exec, stream);
    show(x, 1);
    double half = 0.5;
    void* changed[6];
    memcpy(changed, kernel.kernelParams, sizeof changed);
    changed[1] = &half;
    kernel.kernelParams = changed;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &kernel));
    CHECK(cudaGraphNodeSetEnabled(exec, nodes[1], 0));
    CHECK(cudaMemset(y, 0, 16));
    run(exec, stream);
    show(x, 1);
    show(y, 4);
    CHECK(cudaGraphKernelNodeGetParams(nodes[1], &kernel));
    float nine = 9;
    int two = 2;
    void* others[] = {&y, &nine, &two};
    kernel.kernelParams = others;
    CHECK(cudaGraphNodeSetEnabled(exec, nodes[1], 1));
    CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &kernel));
    kernel.func = (void*)scale;
    others[0] = &x;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &kernel));  // another kernel: x[0] and x[1] times 9
    run(exec, stream);
    show(x, 3);
    show(y, 4);
    kernel.blockDim = dim3(2000);
    SHOW(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &kernel));
    kernel.func = &half;
    kernel.blockDim = dim3(2);
    SHOW(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &kernel));
}

cudaGraph_t two_steps(cudaStream_t stream, float* x, float term, bool more = false, bool fills = false) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    add<<<1, 4, 0, stream>>>(x, term, 4);
    if (fills) CHECK(cudaMemsetAsync(x, 0, 16, stream));
    else scale<<<1, 4, 0, stream>>>(x, 2, 4);
    if (more) add<<<1, 4, 0, stream>>>(x, term, 4);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}
void update() {
    float* x = ramp(4);
    cudaStream_t stream = stream_of();
    cudaGraphExec_t exec = executable_of(two_steps(stream, x, 1));
    cudaGraphExecUpdateResultInfo info;
    run(exec, stream);
    SHOW(cudaGraphExecUpdate(exec, two_steps(stream, x, 10), &info));
    run(exec, stream);
    show(x, 4);
    SHOW(cudaGraphExecUpdate(exec, two_steps(stream, x, 10, true), &info));
    printf("%d\n", info.result);
    cudaGraphNode_t node = nullptr;
    cudaGraphExecUpdateResult result;
    SHOW(cudaGraphExecUpdate(exec, two_steps(stream, x, 10, false, true), &node, &result));  // as in CUDA 11
    printf("%d %d\n", result, node != nullptr);
    run(exec, stream);
    show(x, 4);
}

// A graph that is launched in a capture becomes a part of the new one.
void nested_launch() {
    float* x = ramp(4);
    cudaStream_t stream = stream_of();
    cudaGraphExec_t inner = executable_of(two_steps(stream, x, 1));
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaGraphLaunch(inner, stream));
    add<<<1, 4, 0, stream>>>(x, 5, 4);
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNodeType type;
    cudaGraphNode_t nodes[2];
    size_t count = 2;
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    CHECK(cudaGraphNodeGetType(nodes[0], &type));
    printf("%zu %d\n", count, type);
    show(x, 4);
    run(executable_of(graph), stream);
    show(x, 4);
}

// What asks for captured work, or mixes it with other work, ends the capture.
void prohibited() {
    float *x = ramp(4), *y;
    cudaStream_t one = stream_of(), free = stream_of(cudaStreamNonBlocking);
    cudaEvent_t event = an_event(), outside = an_event();
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    cudaEventRecord(outside, free);
    auto attempt = [&](const char* name, cudaStream_t stream, auto call) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add<<<1, 4, 0, stream>>>(x, 1, 4);
        CHECK(cudaEventRecord(event, stream));
        cudaError_t error = call(stream);
        CHECK(cudaStreamIsCapturing(stream, &status));
        cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        printf("%s: %s, %d, %s, %s\n", name, cudaGetErrorName(error), status, cudaGetErrorName(ended), graph ? "graph" : "null");
        cudaGetLastError();
        if (graph) cudaGraphDestroy(graph);
    };
    attempt("synchronize", one, [](cudaStream_t s) { return cudaStreamSynchronize(s); });
    attempt("query", one, [](cudaStream_t s) { return cudaStreamQuery(s); });
    attempt("device", one, [](cudaStream_t) { return cudaDeviceSynchronize(); });
    attempt("event", one, [&](cudaStream_t) { return cudaEventQuery(event); });
    attempt("wait for it", one, [&](cudaStream_t) { return cudaEventSynchronize(event); });
    attempt("isolation", one, [&](cudaStream_t s) { return cudaStreamWaitEvent(s, outside, 0); });
    attempt("callback", one, [](cudaStream_t s) { return cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0); });
    attempt("malloc", free, [&](cudaStream_t) { return cudaMalloc(&y, 16); });
    attempt("malloc async", one, [&](cudaStream_t s) { return cudaMallocAsync(&y, 16, s); });
    attempt("copy", one, [&](cudaStream_t) { return cudaMemcpy(x, x, 16, cudaMemcpyDeviceToDevice); });
    attempt("copy beside", free, [&](cudaStream_t) { return cudaMemcpy(x, x, 16, cudaMemcpyDeviceToDevice); });
    attempt("legacy", one, [&](cudaStream_t) { add<<<1, 4>>>(x, 1, 4); return cudaGetLastError(); });
    attempt("legacy beside", free, [&](cudaStream_t) { add<<<1, 4>>>(x, 1, 4); return cudaGetLastError(); });
    attempt("after an error", one, [&](cudaStream_t s) {
        cudaStreamSynchronize(s);
        cudaGetLastError();
        add<<<1, 4, 0, s>>>(x, 1, 4);
        return cudaGetLastError();
    });
    attempt("relaxed", free, [&](cudaStream_t) {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        cudaThreadExchangeStreamCaptureMode(&mode);
        cudaError_t error = cudaMalloc(&y, 16);
        cudaThreadExchangeStreamCaptureMode(&mode);
        return error;
    });
    attempt("configuration", one, [&](cudaStream_t s) { add<<<1, 2000, 0, s>>>(x, 1, 4); return cudaGetLastError(); });
    show(x, 4);
}

// What an allocation answers in the thread that captures, in another one, and in another one that minds its own captures only.
void modes() {
    cudaStream_t stream = stream_of();
    float* x = ramp(4);
    auto allocate = [] {
        void* memory = nullptr;
        printf("%s ", cudaGetErrorName(cudaMalloc(&memory, 16)));
    };
    auto allocate_thread_local = [&] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
        cudaThreadExchangeStreamCaptureMode(&mode);
        allocate();
    };
    for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
        for (int where = 0; where < 3; ++where) {
            cudaGraph_t graph;
            CHECK(cudaStreamBeginCapture(stream, mode));
            add<<<1, 4, 0, stream>>>(x, 1, 4);
            if (where == 0) allocate();
            else if (where == 1) std::thread(allocate).join();
            else std::thread(allocate_thread_local).join();
            printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
        }
    }
    cudaGetLastError();
}

void sequences() {
    float* x = ramp(4);
    cudaStream_t one = stream_of(), two = stream_of();
    cudaEvent_t event = an_event();
    cudaGraph_t graph;
    SHOW(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamEndCapture(one, &graph));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    SHOW(cudaStreamIsCapturing(nullptr, &status));
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event, 0));
    add<<<1, 4, 0, two>>>(x, 1, 4);
    SHOW(cudaStreamEndCapture(one, &graph));  // without joining two
    CHECK(cudaStreamIsCapturing(two, &status));
    printf("%d\n", status);
    SHOW(cudaEventQuery(event));  // last recorded in a capture
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event, 0));
    SHOW(cudaStreamEndCapture(two, &graph));
    SHOW(cudaStreamEndCapture(one, &graph));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, one));
    SHOW(cudaStreamWaitEvent(two, event, 0));
    SHOW(cudaStreamEndCapture(one, &graph));
    SHOW(cudaStreamEndCapture(two, &graph));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    cudaError_t elsewhere;
    std::thread([&] { elsewhere = cudaStreamEndCapture(one, &graph); }).join();
    SHOW(elsewhere);
    SHOW(cudaStreamEndCapture(one, &graph));
}

void information() {
    float* x = ramp(4);
    cudaStream_t stream = stream_of();
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaGraph_t graph, ended;
    const cudaGraphNode_t* dependencies;
    size_t count;
    cudaGraphNode_t added;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, stream>>>(x, 1, 4);
    CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &dependencies, &count));
    printf("%d %d %zu %zu\n", status, id != 0, count_nodes(graph), count);
    CHECK(cudaGraphAddEmptyNode(&added, graph, dependencies, count));
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &added, nullptr, 1, cudaStreamSetCaptureDependencies));
    scale<<<1, 4, 0, stream>>>(x, 2, 4);
    CHECK(cudaStreamEndCapture(stream, &ended));
    cudaGraphNode_t from[2], to[2];
    count = 2;
    CHECK(cudaGraphGetEdges(ended, from, to, &count));
    printf("%d %zu %d %d\n", ended == graph, count, to[0] == added, from[1] == added);
    CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &to[1], nullptr, 1, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, stream>>>(x, 100, 4);
    CHECK(cudaStreamEndCapture(stream, &ended));
    run(executable_of(ended), stream);
    show(x, 4);
    SHOW(cudaGraphDebugDotPrint(graph, "graph.dot", cudaGraphDebugDotFlagsKernelNodeParams));
}

void host_functions() {
    static std::string order;
    cudaStream_t stream = stream_of();
    cudaEvent_t external = an_event();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (const char* word : {"a", "b"}) {
        CHECK(cudaLaunchHostFunc(stream, [](void* text) { order += static_cast<const char*>(text); }, const_cast<char*>(word)));
    }
    CHECK(cudaEventRecordWithFlags(external, stream, cudaEventRecordExternal));
    CHECK(cudaStreamEndCapture(stream, &graph));
    printf("%zu '%s'\n", count_nodes(graph), order.c_str());
    run(executable_of(graph), stream);
    printf("%s\n", order.c_str());
    SHOW(cudaEventSynchronize(external));
    SHOW(cudaEventRecordWithFlags(external, stream, cudaEventRecordExternal));  // nothing is captured now
    SHOW(cudaStreamWaitEvent(stream, external, cudaEventWaitExternal));
}

void fault() {
    float* x = ramp(4);
    cudaStream_t stream = stream_of();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    beyond<<<1, 2, 0, stream>>>(x, 4);  // <- launch of beyond
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = executable_of(graph);
    cudaGraphLaunch(exec, stream);
}
void unwritten() {
    float* x;
    cudaMalloc(&x, 16);
    cudaStream_t stream = stream_of();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<1, 4, 0, stream>>>(x, 2, 4);
    CHECK(cudaStreamEndCapture(stream, &graph));
    run(executable_of(graph), stream);
}

// A kernel by a pointer in a variable of a function that has returned when the graph is launched.
cudaGraph_t by_pointer(cudaStream_t stream, float* x) {
    void (*chosen)(float*, float, int) = add;
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    chosen<<<1, 4, 0, stream>>>(x, 1, 4);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}
void pointer() {
    float* x = ramp(4);
    cudaStream_t stream = stream_of();
    cudaGraph_t graph = by_pointer(stream, x);
    std::vector<char> other(10000, 1);
    run(executable_of(graph), stream);
    show(x, 4);
}

extern "C" const char* simt_take_findings(void);
extern "C" const char* simt_take_launches(void);

int main(int, char** arguments) {
    static const std::map<std::string, void (*)()> cases = {
        {"capture", capture}, {"fork_and_join", fork_and_join}, {"unordered_branches", unordered_branches},
        {"unordered_on_default", unordered_on_default}, {"after_the_graph", after_the_graph}, {"threads", threads},
        {"modes", modes},
        {"node_edges", node_edges}, {"all_nodes", all_nodes}, {"parameters", parameters}, {"update", update},
        {"nested_launch", nested_launch}, {"prohibited", prohibited}, {"sequences", sequences}, {"information", information},
        {"host_functions", host_functions}, {"fault", fault}, {"unwritten", unwritten}, {"pointer", pointer},
    };
    cases.at(arguments[1])();
    printf("%s", simt_take_findings());
    if (!strcmp(arguments[1], "capture")) printf("%s", simt_take_launches());
}
