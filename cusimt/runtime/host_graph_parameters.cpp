// The functions of graphs that take one structure for nodes of all kinds: each hands it to the function of its kind.
#include <string.h>

#include "graphs.h"
#include "host_call.h"

using namespace simt;

namespace {
// The structures with a number at the end of their name have the members of those without.
template <class Parameters, class Numbered>
Parameters without_number(const Numbered& numbered) {
    static_assert(sizeof(Parameters) == sizeof(Numbered));
    Parameters parameters;
    memcpy(static_cast<void*>(&parameters), &numbered, sizeof parameters);
    return parameters;
}
}  // namespace

extern "C" {
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* from,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* given) {
    if (!given) return failed(cudaErrorInvalidValue);
    for (size_t i = 0; edges && i < count; ++i) {
        if (edges[i].from_port || edges[i].to_port || edges[i].type) return failed(cudaErrorNotSupported);
    }
    switch (given->type) {
        case cudaGraphNodeTypeKernel: {
            auto kernel = without_number<cudaKernelNodeParams>(given->kernel);
            return cudaGraphAddKernelNode(node, graph, from, count, &kernel);
        }
        case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(node, graph, from, count, &given->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            auto memset = without_number<cudaMemsetParams>(given->memset);
            return cudaGraphAddMemsetNode(node, graph, from, count, &memset);
        }
        case cudaGraphNodeTypeHost: {
            auto host = without_number<cudaHostNodeParams>(given->host);
            return cudaGraphAddHostNode(node, graph, from, count, &host);
        }
        case cudaGraphNodeTypeGraph: {
            if (given->graph.ownership != cudaGraphChildGraphOwnershipClone) return failed(cudaErrorNotSupported);
            cudaError_t error = cudaGraphAddChildGraphNode(node, graph, from, count, given->graph.graph);
            return error ? error : cudaGraphChildGraphNodeGetGraph(*node, &given->graph.graph);
        }
        case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, from, count);
        case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(node, graph, from, count, given->eventWait.event);
        case cudaGraphNodeTypeEventRecord:
            return cudaGraphAddEventRecordNode(node, graph, from, count, given->eventRecord.event);
        default: return failed(cudaErrorNotSupported);
    }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* given) {
    if (!given || !is_live(node) || given->type != type_of(node->work)) return failed(cudaErrorInvalidValue);
    switch (given->type) {
        case cudaGraphNodeTypeKernel: {
            auto kernel = without_number<cudaKernelNodeParams>(given->kernel);
            return cudaGraphKernelNodeSetParams(node, &kernel);
        }
        case cudaGraphNodeTypeMemcpy: return cudaGraphMemcpyNodeSetParams(node, &given->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            auto memset = without_number<cudaMemsetParams>(given->memset);
            return cudaGraphMemsetNodeSetParams(node, &memset);
        }
        case cudaGraphNodeTypeHost: {
            auto host = without_number<cudaHostNodeParams>(given->host);
            return cudaGraphHostNodeSetParams(node, &host);
        }
        case cudaGraphNodeTypeWaitEvent: return cudaGraphEventWaitNodeSetEvent(node, given->eventWait.event);
        case cudaGraphNodeTypeEventRecord: return cudaGraphEventRecordNodeSetEvent(node, given->eventRecord.event);
        default: return failed(cudaErrorNotSupported);
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeParams* given) {
    if (!given || !is_live(executable)) return failed(cudaErrorInvalidValue);
    if (given->type == cudaGraphNodeTypeGraph) {
        return cudaGraphExecChildGraphNodeSetParams(executable, node, given->graph.graph);
    }
    std::lock_guard lock(graphs_lock);
    CUgraphNode_st* clone = executable->clone_of(node);
    return clone ? cudaGraphNodeSetParams(clone, given) : failed(cudaErrorInvalidValue);
}
}
