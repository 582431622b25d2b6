// The host API of graphs under construction: what they consist of.
#include <algorithm>

#include "host_call.h"
#include "graphs.h"
#include "modules.h"

using namespace simt;

namespace {
using Nodes = std::vector<CUgraphNode_st*>;

// A list as these calls give it: into an array of `*count` elements, of which those that stay over become null.
cudaError_t give(const Nodes& found, cudaGraphNode_t* nodes, size_t* count) {
    if (!count) return failed(cudaErrorInvalidValue);
    if (nodes) {
        for (size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    }
    *count = nodes ? std::min(*count, found.size()) : found.size();
    return cudaSuccess;
}

void clear(cudaGraphEdgeData* edges, const size_t* count) {
    if (edges && count) std::fill_n(edges, *count, cudaGraphEdgeData{});
}

bool has_duplicates(const cudaGraphNode_t* nodes, size_t count) {
    Nodes sorted(nodes, nodes + count);
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

bool belongs(cudaGraphNode_t node, cudaGraph_t graph) { return is_live(node) && node->graph == graph; }

bool depends_on(const CUgraphNode_st* node, const CUgraphNode_st* other) {
    return std::any_of(node->dependencies.begin(), node->dependencies.end(),
                       [&](const Edge& edge) { return edge.from == other; });
}

// Adds a node whose work is valid by then.
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count, Work work) {
    std::lock_guard lock(graphs_lock);
    if (!node || !is_live(graph) || (count && !dependencies)) return failed(cudaErrorInvalidValue);
    if (count && has_duplicates(dependencies, count)) return failed(cudaErrorInvalidValue);
    std::vector<Edge> edges;
    for (size_t i = 0; i < count; ++i) {
        if (!belongs(dependencies[i], graph)) return failed(cudaErrorInvalidValue);
        edges.push_back({dependencies[i], {}});
    }
    *node = graph->add(std::move(work), edges);
    return cudaSuccess;
}

// The work of a live node, if it is of this kind.
template <class Kind>
Kind* work_of(cudaGraphNode_t node) {
    return is_live(node) ? std::get_if<Kind>(&node->work) : nullptr;
}

template <class Kind, class Parameters>
cudaError_t get(cudaGraphNode_t node, Parameters* parameters) {
    std::lock_guard lock(graphs_lock);
    auto* work = work_of<Kind>(node);
    if (!work || !parameters) return failed(cudaErrorInvalidValue);
    *parameters = *work;
    return cudaSuccess;
}

template <class Kind>
cudaError_t set(cudaGraphNode_t node, const Kind* work, int refused) {
    std::lock_guard lock(graphs_lock);
    auto* before = work_of<Kind>(node);
    if (!before || !work) return failed(cudaErrorInvalidValue);
    if (refused) return failed(refused);
    *before = *work;
    return cudaSuccess;
}

int refuse(const cudaMemcpy3DParms* copy) { return copy ? refuse_copy(*copy) : int(cudaErrorInvalidValue); }
int refuse(const cudaMemsetParams* memset) { return memset ? refuse_memset(*memset) : int(cudaErrorInvalidValue); }
int refuse(const cudaHostNodeParams* host) { return host && host->fn ? cudaSuccess : cudaErrorInvalidValue; }

cudaError_t symbol_place(const void* symbol, size_t bytes, size_t offset, char** place) {
    Symbol found;
    if (!find_symbol(symbol, &found)) return cudaErrorInvalidSymbol;
    if (offset > found.bytes_to_end || bytes > found.bytes_to_end - offset) return cudaErrorInvalidValue;
    *place = static_cast<char*>(const_cast<void*>(symbol)) + offset;
    return cudaSuccess;
}
}  // namespace

extern "C" {
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
    if (!graph || flags) return failed(cudaErrorInvalidValue);
    *graph = new CUgraph_st;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    if (!is_live(graph) || graph->is_owned) return failed(cudaErrorInvalidValue);
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
    if (!clone || !is_live(original)) return failed(cudaErrorInvalidValue);
    *clone = original->clone().release();
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
    if (!node || !is_live(original) || !is_live(clone)) return failed(cudaErrorInvalidValue);
    for (const auto& each : clone->nodes) {
        if (each->origin == original->id) return *node = each.get(), cudaSuccess;
    }
    return failed(cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    if (!is_live(graph)) return failed(cudaErrorInvalidValue);
    Nodes found;
    for (const auto& node : graph->nodes) found.push_back(node.get());
    return give(found, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    if (!is_live(graph)) return failed(cudaErrorInvalidValue);
    Nodes found;
    for (const auto& node : graph->nodes) {
        if (node->dependencies.empty()) found.push_back(node.get());
    }
    return give(found, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              size_t* count) {
    if (!is_live(graph) || !count || !from != !to || (edges && !from)) return failed(cudaErrorInvalidValue);
    Nodes begins, ends;
    for (const auto& node : graph->nodes) {
        for (const Edge& edge : node->dependencies) begins.push_back(edge.from), ends.push_back(node.get());
    }
    clear(edges, count);
    size_t room = *count;
    give(begins, from, &room);
    return give(ends, to, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                         size_t* count) {
    if (!is_live(node)) return failed(cudaErrorInvalidValue);
    Nodes found;
    for (const Edge& edge : node->dependencies) found.push_back(edge.from);
    clear(edges, count);
    return give(found, nodes, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                           size_t* count) {
    if (!is_live(node)) return failed(cudaErrorInvalidValue);
    clear(edges, count);
    return give(node->graph->dependents(node), nodes, count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edges, size_t count) {
    std::lock_guard lock(graphs_lock);
    if (!is_live(graph) || (count && (!from || !to))) return failed(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
        if (!belongs(from[i], graph) || !belongs(to[i], graph) || from[i] == to[i]) return failed(cudaErrorInvalidValue);
        if (depends_on(to[i], from[i])) return failed(cudaErrorInvalidValue);
        if (edges && (edges[i].from_port || edges[i].to_port || edges[i].type)) return failed(cudaErrorNotSupported);
    }
    for (size_t i = 0; i < count; ++i) to[i]->dependencies.push_back({from[i], {}});
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, size_t count) {
    std::lock_guard lock(graphs_lock);
    if (!is_live(graph) || (count && (!from || !to))) return failed(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
        if (!belongs(from[i], graph) || !belongs(to[i], graph) || !depends_on(to[i], from[i]))
            return failed(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; ++i) {
        std::erase_if(to[i]->dependencies, [&](const Edge& edge) { return edge.from == from[i]; });
    }
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    std::lock_guard lock(graphs_lock);
    if (!is_live(node)) return failed(cudaErrorInvalidValue);
    for (CUgraphNode_st* dependent : node->graph->dependents(node)) {
        std::erase_if(dependent->dependencies, [&](const Edge& edge) { return edge.from == node; });
    }
    std::erase_if(node->graph->nodes, [&](const auto& each) { return each.get() == node; });
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    if (!is_live(node) || !type) return failed(cudaErrorInvalidValue);
    *type = type_of(node->work);
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count) {
    return add(node, graph, dependencies, count, EmptyWork{});
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
    KernelWork kernel;
    if (!parameters || !is_live(graph)) return failed(cudaErrorInvalidValue);
    if (int error = make_kernel(*parameters, nullptr, &kernel)) return failed(error);
    return add(node, graph, dependencies, count, std::move(kernel));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    std::lock_guard lock(graphs_lock);
    auto* kernel = work_of<KernelWork>(node);
    if (!kernel || !parameters) return failed(cudaErrorInvalidValue);
    kernel->describe(parameters);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    std::lock_guard lock(graphs_lock);
    auto* kernel = work_of<KernelWork>(node);
    KernelWork made;
    if (!kernel || !parameters) return failed(cudaErrorInvalidValue);
    if (int error = make_kernel(*parameters, kernel, &made)) return failed(error);
    *kernel = std::move(made);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* copy) {
    if (int error = refuse(copy)) return failed(error);
    return add(node, graph, dependencies, count, *copy);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms copy = copy_of_bytes(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &copy);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                           size_t count, const void* symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
    char* place;
    if (cudaError_t error = symbol_place(symbol, bytes, offset, &place)) return failed(error);
    return cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, place, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                             size_t count, void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
    char* place;
    if (cudaError_t error = symbol_place(symbol, bytes, offset, &place)) return failed(error);
    return cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, to, place, bytes, kind);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* copy) {
    return get<cudaMemcpy3DParms>(node, copy);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* copy) {
    return set(node, copy, refuse(copy));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
    cudaMemcpy3DParms copy = copy_of_bytes(to, from, bytes, kind);
    return set(node, &copy, refuse(&copy));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* memset) {
    if (int error = refuse(memset)) return failed(error);
    return add(node, graph, dependencies, count, *memset);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* memset) {
    return get<cudaMemsetParams>(node, memset);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* memset) {
    return set(node, memset, refuse(memset));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* host) {
    if (int error = refuse(host)) return failed(error);
    return add(node, graph, dependencies, count, *host);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* host) {
    return get<cudaHostNodeParams>(node, host);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* host) {
    return set(node, host, refuse(host));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child) {
    if (!is_live(child) || child == graph) return failed(cudaErrorInvalidValue);
    ChildWork work{child->clone()};
    work.graph->is_owned = true;
    return add(node, graph, dependencies, count, std::move(work));
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    auto* child = work_of<ChildWork>(node);
    if (!child || !graph) return failed(cudaErrorInvalidValue);
    *graph = child->graph.get();
    return cudaSuccess;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, cudaEvent_t event) {
    if (!find_event(event)) return failed(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, RecordWork{event});
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    auto* record = work_of<RecordWork>(node);
    if (!record || !event) return failed(cudaErrorInvalidValue);
    *event = record->event;
    return cudaSuccess;
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    RecordWork record{event};
    return set(node, &record, find_event(event) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t count, cudaEvent_t event) {
    if (!find_event(event)) return failed(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, WaitWork{event});
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    auto* wait = work_of<WaitWork>(node);
    if (!wait || !event) return failed(cudaErrorInvalidValue);
    *event = wait->event;
    return cudaSuccess;
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    WaitWork wait{event};
    return set(node, &wait, find_event(event) ? cudaSuccess : cudaErrorInvalidValue);
}
}
