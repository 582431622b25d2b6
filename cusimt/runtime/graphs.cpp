// Graphs as they are built: nodes, edges, clones, and an order for a launch.
#include "graphs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "execution.h"

namespace simt {

std::recursive_mutex& graphs_lock = launch_lock;

namespace {
std::mutex handles_lock;  // nothing else is locked under it

std::unordered_set<const void*>& live() {
    static auto* handles = new std::unordered_set<const void*>;
    return *handles;
}

void set_live(const void* handle, bool is_live) {
    std::lock_guard lock(handles_lock);
    if (is_live) live().insert(handle);
    else live().erase(handle);
}

bool find_live(const void* handle) {
    std::lock_guard lock(handles_lock);
    return handle && live().contains(handle);
}

uint64_t next_id() {
    static uint64_t last = 0;
    std::lock_guard lock(handles_lock);
    return ++last;
}
}  // namespace

bool is_live(const CUgraph_st* graph) { return find_live(graph); }
bool is_live(const CUgraphNode_st* node) { return find_live(node); }
bool is_live(const CUgraphExec_st* executable) { return find_live(executable); }

cudaGraphNodeType type_of(const Work& work) {
    static const cudaGraphNodeType types[] = {cudaGraphNodeTypeEmpty,       cudaGraphNodeTypeKernel,   cudaGraphNodeTypeMemcpy,
                                              cudaGraphNodeTypeMemset,      cudaGraphNodeTypeHost,     cudaGraphNodeTypeGraph,
                                              cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent};
    static_assert(std::size(types) == std::variant_size_v<Work>);
    return types[work.index()];
}

}  // namespace simt

using namespace simt;

CUgraphNode_st::CUgraphNode_st(CUgraph_st* graph_, Work work_)
    : graph(graph_), id(next_id()), device(current_device()), work(std::move(work_)) {
    set_live(this, true);
}
CUgraphNode_st::~CUgraphNode_st() { set_live(this, false); }

CUgraph_st::CUgraph_st() : id(next_id()) { set_live(this, true); }
CUgraph_st::~CUgraph_st() { set_live(this, false); }

CUgraphExec_st::CUgraphExec_st() { set_live(this, true); }
CUgraphExec_st::~CUgraphExec_st() {
    set_live(this, false);
    for (auto& [device, streams] : lanes) {
        for (void* stream : streams) simt_stream_destroy(stream);
    }
}

CUgraphNode_st* CUgraph_st::add(Work work, const std::vector<Edge>& dependencies) {
    std::lock_guard lock(graphs_lock);
    nodes.push_back(std::make_unique<CUgraphNode_st>(this, std::move(work)));
    nodes.back()->dependencies = dependencies;
    return nodes.back().get();
}

std::unique_ptr<CUgraph_st> CUgraph_st::clone() const {
    std::lock_guard lock(graphs_lock);
    auto made = std::make_unique<CUgraph_st>();
    made->origin = id;
    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> clones;
    for (const auto& node : nodes) {
        CUgraphNode_st* copy = clones[node.get()] = made->add(node->work, {});
        copy->origin = node->id;
        copy->device = node->device;
        copy->enabled = node->enabled;
        if (auto* child = std::get_if<ChildWork>(&copy->work)) {
            child->graph = child->graph->clone();
            child->graph->is_owned = true;
        }
    }
    for (const auto& node : nodes) {
        for (const Edge& edge : node->dependencies) clones[node.get()]->dependencies.push_back({clones[edge.from], edge.data});
    }
    return made;
}

std::vector<CUgraphNode_st*> CUgraph_st::dependents(const CUgraphNode_st* node) const {
    std::vector<CUgraphNode_st*> found;
    for (const auto& other : nodes) {
        for (const Edge& edge : other->dependencies) {
            if (edge.from == node) found.push_back(other.get());
        }
    }
    return found;
}

// In a second order of blocks and threads, nodes that no edge orders change places as well.
std::vector<CUgraphNode_st*> CUgraph_st::order() const {
    std::vector<CUgraphNode_st*> ordered, ready;
    std::unordered_map<const CUgraphNode_st*, size_t> open;
    std::unordered_map<const CUgraphNode_st*, std::vector<CUgraphNode_st*>> later;
    for (const auto& node : nodes) {
        open[node.get()] = node->dependencies.size();
        for (const Edge& edge : node->dependencies) later[edge.from].push_back(node.get());
        if (node->dependencies.empty()) ready.push_back(node.get());
    }
    while (!ready.empty()) {
        std::sort(ready.begin(), ready.end(), [](auto* a, auto* b) { return a->id < b->id; });
        auto chosen = ready.begin() + ptrdiff_t(schedule.at(0, ready.size(), ordered.size()));
        CUgraphNode_st* node = *chosen;
        ready.erase(chosen);
        ordered.push_back(node);
        for (CUgraphNode_st* next : later[node]) {
            if (--open[next] == 0) ready.push_back(next);
        }
    }
    return ordered;
}

namespace {
CUgraphNode_st* clone_in(const CUgraph_st& graph, uint64_t origin) {
    for (const auto& node : graph.nodes) {
        if (node->origin == origin) return node.get();
        if (auto* child = std::get_if<ChildWork>(&node->work)) {
            if (CUgraphNode_st* found = clone_in(*child->graph, origin)) return found;
        }
    }
    return nullptr;
}
}  // namespace

CUgraphNode_st* CUgraphExec_st::clone_of(const CUgraphNode_st* original) const {
    return is_live(original) ? clone_in(*graph, original->id) : nullptr;
}
