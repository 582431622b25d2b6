// The host API of executable graphs: instantiation, launches, and changes of what their nodes work on.
#include <algorithm>
#include <unordered_map>

#include "captures.h"
#include "graphs.h"
#include "host_call.h"

using namespace simt;

namespace {
constexpr unsigned long long kKnownFlags = 15;

bool is_acyclic(const CUgraph_st& graph) {
    if (graph.order().size() != graph.nodes.size()) return false;
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        auto* child = std::get_if<ChildWork>(&node->work);
        return !child || is_acyclic(*child->graph);
    });
}

// The node of an executable graph for one of the graph that it was made of.
CUgraphNode_st* node_of(cudaGraphExec_t executable, cudaGraphNode_t node) {
    return is_live(executable) ? executable->clone_of(node) : nullptr;
}

bool is_plain(const cudaMemcpy3DParms& copy) { return copy.extent.height == 1 && copy.extent.depth == 1; }

// Pairs the nodes of a new graph with those of an executable one, from the last ones back by the order of their edges.
class Update {
  public:
    Update(const CUgraph_st& graph, CUgraph_st& target) : graph_(graph), target_(target) {}

    cudaGraphExecUpdateResultInfo compare() {
        if (graph_.nodes.size() != target_.nodes.size()) return changed(nullptr);
        auto ends = exits(graph_), target_ends = exits(target_);
        if (ends.size() != target_ends.size()) return changed(ends.empty() ? nullptr : ends.back());
        for (size_t i = 0; i < ends.size(); ++i) {
            if (auto result = pair(ends[i], target_ends[i], nullptr); result.result) return result;
        }
        for (size_t i = 0; i < found_.size(); ++i) {
            if (auto result = compare_node(found_[i]); result.result) return result;
        }
        return {};
    }

    void apply() {
        for (CUgraphNode_st* node : found_) {
            CUgraphNode_st* target = pairs_[node];
            if (auto* child = std::get_if<ChildWork>(&node->work)) {
                Update inner(*child->graph, *std::get<ChildWork>(target->work).graph);
                inner.compare();
                inner.apply();
            } else {
                target->work = node->work;
            }
        }
    }

  private:
    using Result = cudaGraphExecUpdateResultInfo;

    static std::vector<CUgraphNode_st*> exits(const CUgraph_st& graph) {
        std::vector<CUgraphNode_st*> found;
        for (const auto& node : graph.nodes) {
            if (graph.dependents(node.get()).empty()) found.push_back(node.get());
        }
        return found;
    }

    static Result changed(CUgraphNode_st* node, CUgraphNode_st* from = nullptr) {
        return {cudaGraphExecUpdateErrorTopologyChanged, node, from};
    }

    Result pair(CUgraphNode_st* node, CUgraphNode_st* target, CUgraphNode_st* dependent) {
        CUgraphNode_st*& known = pairs_[node];
        CUgraphNode_st*& known_back = back_[target];
        if (known || known_back) {
            return known == target && known_back == node ? Result{} : changed(dependent ? dependent : node, node);
        }
        known = target, known_back = node;
        if (node->dependencies.size() != target->dependencies.size()) return changed(node);
        for (size_t i = 0; i < node->dependencies.size(); ++i) {
            if (auto result = pair(node->dependencies[i].from, target->dependencies[i].from, node); result.result)
                return result;
        }
        found_.push_back(node);
        return {};
    }

    Result compare_node(CUgraphNode_st* node) {
        CUgraphNode_st* target = pairs_[node];
        if (node->work.index() != target->work.index()) return {cudaGraphExecUpdateErrorNodeTypeChanged, node, nullptr};
        if (node->device != target->device) return {cudaGraphExecUpdateErrorParametersChanged, node, nullptr};
        if (auto* kernel = std::get_if<KernelWork>(&node->work)) {
            bool stays = kernel->is_cooperative() == std::get<KernelWork>(target->work).is_cooperative();
            if (!stays) return {cudaGraphExecUpdateErrorAttributesChanged, node, nullptr};
        }
        if (auto* copy = std::get_if<cudaMemcpy3DParms>(&node->work)) {
            auto& before = std::get<cudaMemcpy3DParms>(target->work);
            bool same = !copy->srcArray == !before.srcArray && !copy->dstArray == !before.dstArray;
            if (!same) return {cudaGraphExecUpdateErrorParametersChanged, node, nullptr};
        }
        if (auto* memset = std::get_if<cudaMemsetParams>(&node->work)) {
            auto& before = std::get<cudaMemsetParams>(target->work);
            bool same = (memset->height == 1 && before.height == 1) ||
                        (memset->height == before.height && memset->width == before.width && memset->pitch == before.pitch &&
                         memset->elementSize == before.elementSize);
            if (!same) return {cudaGraphExecUpdateErrorParametersChanged, node, nullptr};
        }
        if (auto* child = std::get_if<ChildWork>(&node->work)) {
            return Update(*child->graph, *std::get<ChildWork>(target->work).graph).compare();
        }
        return {};
    }

    const CUgraph_st& graph_;
    CUgraph_st& target_;
    std::unordered_map<CUgraphNode_st*, CUgraphNode_st*> pairs_, back_;
    std::vector<CUgraphNode_st*> found_;
};

bool is_switchable(const CUgraphNode_st* node) {
    cudaGraphNodeType type = node ? type_of(node->work) : cudaGraphNodeTypeEmpty;
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset;
}
}  // namespace

extern "C" {
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
    if (!parameters) return failed(cudaErrorInvalidValue);
    parameters->errNode_out = nullptr;
    parameters->result_out = cudaGraphInstantiateError;
    std::lock_guard lock(graphs_lock);
    if (!executable || !is_live(graph) || parameters->flags & ~kKnownFlags) return failed(cudaErrorInvalidValue);
    if (parameters->flags & cudaGraphInstantiateFlagDeviceLaunch) return failed(cudaErrorNotSupported);
    if (!is_acyclic(*graph)) {
        parameters->result_out = cudaGraphInstantiateInvalidStructure;
        return failed(cudaErrorInvalidValue);
    }
    auto made = std::make_unique<CUgraphExec_st>();
    made->graph = graph->clone();
    made->graph->is_owned = true;
    made->flags = parameters->flags & ~(unsigned long long)cudaGraphInstantiateFlagUpload;  // it ends with this call
    *executable = made.release();
    parameters->result_out = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    if (flags & cudaGraphInstantiateFlagUpload) return failed(cudaErrorInvalidValue);  // it names no stream
    cudaGraphInstantiateParams parameters = {};
    parameters.flags = flags;
    return cudaGraphInstantiateWithParams(executable, graph, &parameters);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
    if (!is_live(executable) || !flags) return failed(cudaErrorInvalidValue);
    *flags = executable->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    if (!is_live(executable)) return failed(cudaErrorInvalidValue);
    return failed(refuse_captured_work(stream));
}

// In a stream under capture the launch of a graph becomes a node of the new one.
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    if (!is_live(executable)) return failed(cudaErrorInvalidValue);
    Fate fate = fate_of_work(stream);
    if (fate.error) return failed(fate.error);
    if (!fate.captured) return failed(replay(*executable, stream));
    ChildWork child{executable->graph->clone()};
    child.graph->is_owned = true;
    return failed(capture(*fate.captured, std::move(child)));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    if (!is_live(executable)) return failed(cudaErrorInvalidValue);
    delete executable;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result) {
    std::lock_guard lock(graphs_lock);
    if (!result) return failed(cudaErrorInvalidValue);
    *result = {cudaGraphExecUpdateError, nullptr, nullptr};
    if (!is_live(executable) || !is_live(graph)) return failed(cudaErrorInvalidValue);
    Update update(*graph, *executable->graph);
    *result = update.compare();
    if (result->result) return failed(cudaErrorGraphExecUpdateFailure);
    update.apply();
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
    std::lock_guard lock(graphs_lock);
    return cudaGraphKernelNodeSetParams(node_of(executable, node), parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaMemcpy3DParms* copy) {
    std::lock_guard lock(graphs_lock);
    CUgraphNode_st* clone = node_of(executable, node);
    auto* before = clone ? std::get_if<cudaMemcpy3DParms>(&clone->work) : nullptr;
    if (!before || !copy || !is_plain(*before) || !is_plain(*copy) || !copy->extent.width) return failed(cudaErrorInvalidValue);
    return cudaGraphMemcpyNodeSetParams(clone, copy);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to, const void* from,
                                               size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms copy = copy_of_bytes(to, from, bytes, kind);
    return cudaGraphExecMemcpyNodeSetParams(executable, node, &copy);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaMemsetParams* memset) {
    std::lock_guard lock(graphs_lock);
    CUgraphNode_st* clone = node_of(executable, node);
    auto* before = clone ? std::get_if<cudaMemsetParams>(&clone->work) : nullptr;
    if (!before || !memset || before->height != 1 || memset->height != 1) return failed(cudaErrorInvalidValue);
    return cudaGraphMemsetNodeSetParams(clone, memset);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaHostNodeParams* host) {
    std::lock_guard lock(graphs_lock);
    return cudaGraphHostNodeSetParams(node_of(executable, node), host);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event) {
    std::lock_guard lock(graphs_lock);
    return cudaGraphEventRecordNodeSetEvent(node_of(executable, node), event);
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event) {
    std::lock_guard lock(graphs_lock);
    return cudaGraphEventWaitNodeSetEvent(node_of(executable, node), event);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child) {
    std::lock_guard lock(graphs_lock);
    CUgraphNode_st* clone = node_of(executable, node);
    auto* before = clone ? std::get_if<ChildWork>(&clone->work) : nullptr;
    if (!before || !is_live(child)) return failed(cudaErrorInvalidValue);
    Update update(*child, *before->graph);
    if (update.compare().result) return failed(cudaErrorInvalidValue);
    update.apply();
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int enabled) {
    std::lock_guard lock(graphs_lock);
    CUgraphNode_st* clone = node_of(executable, node);
    if (!is_switchable(clone)) return failed(cudaErrorInvalidValue);
    clone->enabled = enabled != 0;
    return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int* enabled) {
    std::lock_guard lock(graphs_lock);
    CUgraphNode_st* clone = node_of(executable, node);
    if (!is_switchable(clone) || !enabled) return failed(cudaErrorInvalidValue);
    *enabled = clone->enabled;
    return cudaSuccess;
}
}
