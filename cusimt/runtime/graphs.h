// CUDA graphs: work that is described once, by capturing a stream or node by node, and launched as often as one likes.
//
// A node owns copies of all that it was given, a kernel's arguments included. A launch (graph_replay.cpp) runs the nodes in an
// order that their edges allow, each by the call of the runtime API that it stands for: what checks, counts or records launches
// and copies sees those of a graph like any other.
#pragma once
#include <stdint.h>

#include <map>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "cuda_runtime_api.h"
#include "simt_api.h"
#include "streams.h"

namespace simt {

// A launch and everything that it points to.
class KernelWork {
  public:
    KernelWork() = default;
    explicit KernelWork(const simt_launch& launch);
    simt_launch launch(void* stream) const;
    // The kernel's address, or a stand-in of its own where a launch deduced template arguments and so does not know it.
    const void* function() const;
    const char* name() const { return launch_.kernel ? launch_.kernel : ""; }
    size_t argument_count() const { return launch_.argument_count; }
    void* argument(size_t index) const;  // within this object
    bool is_cooperative() const { return launch_.cooperative != 0; }
    const simt_module* module() const { return launch_.module; }
    void configure(const cudaKernelNodeParams& parameters);  // all but the function; the arguments have to be there
    void describe(cudaKernelNodeParams* parameters);         // pointers into this object

  private:
    struct alignas(128) Chunk {
        char bytes[128];
    };
    simt_launch launch_{};
    std::vector<Chunk> closure_;
    std::vector<void*> pointers_;  // as `describe` gave them
};
// 0, or why there can be no such kernel node. `known` is what the node was before, or null.
int make_kernel(const cudaKernelNodeParams& parameters, const KernelWork* known, KernelWork* made);
// A kernel whose address alone a program gives again later: in parameters that it read from a captured node.
void remember_kernel(const KernelWork& kernel);
void forget_kernels_of(const simt_module& module);
// If this thread makes a node of the launch that it is about to begin: copies it there.
bool is_kept(const simt_launch& launch);

struct EmptyWork {};
struct ChildWork {
    std::shared_ptr<CUgraph_st> graph;  // of this node alone
};
struct RecordWork {
    cudaEvent_t event;
};
struct WaitWork {
    cudaEvent_t event;
};
using Work = std::variant<EmptyWork, KernelWork, cudaMemcpy3DParms, cudaMemsetParams, cudaHostNodeParams, ChildWork, RecordWork,
                          WaitWork>;
cudaGraphNodeType type_of(const Work& work);
int refuse_copy(const cudaMemcpy3DParms& copy);  // 0, or what a launch of it would answer now
int refuse_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                cudaMemcpyKind kind);
int refuse_memset(const cudaMemsetParams& memset);
int fill_elements(const cudaMemsetParams& memset, cudaStream_t stream);
cudaMemcpy3DParms copy_of_bytes(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

struct Edge {
    CUgraphNode_st* from;
    cudaGraphEdgeData data;
};

// Held by everything here that reads or changes graphs, and while a kernel runs, but not for the whole launch of a graph. It is
// the lock of launches, because a launch may become a node, and the making of a node asks what a launch would answer. Who needs
// streams_lock as well takes that one later, or both at once.
extern std::recursive_mutex& graphs_lock;

}  // namespace simt

struct CUgraphNode_st {
    CUgraphNode_st(CUgraph_st* graph, simt::Work work);
    ~CUgraphNode_st();
    CUgraphNode_st(const CUgraphNode_st&) = delete;

    CUgraph_st* graph;
    uint64_t id;
    uint64_t origin = 0;  // id of the node that it is a clone of
    int device;
    bool enabled = true;
    simt::Work work;
    std::vector<simt::Edge> dependencies;
};

struct CUgraph_st {
    CUgraph_st();
    ~CUgraph_st();
    CUgraph_st(const CUgraph_st&) = delete;

    uint64_t id, origin = 0;
    bool is_owned = false;  // by a node, or by a capture: no handle for cudaGraphDestroy
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

    CUgraphNode_st* add(simt::Work work, const std::vector<simt::Edge>& dependencies);
    std::unique_ptr<CUgraph_st> clone() const;
    std::vector<CUgraphNode_st*> dependents(const CUgraphNode_st* node) const;
    // An order that all edges allow, by the schedule's choice; of fewer nodes if there is a cycle.
    std::vector<CUgraphNode_st*> order() const;
};

struct CUgraphExec_st {
    CUgraphExec_st();
    ~CUgraphExec_st();
    CUgraphExec_st(const CUgraphExec_st&) = delete;

    std::unique_ptr<CUgraph_st> graph;
    unsigned long long flags = 0;
    simt::Progress last;                      // its latest launch
    std::map<int, std::vector<void*>> lanes;  // streams for branches, of each device

    CUgraphNode_st* clone_of(const CUgraphNode_st* original) const;
};

namespace simt {

// Whether a handle is one, and has not been destroyed.
bool is_live(const CUgraph_st* graph);
bool is_live(const CUgraphNode_st* node);
bool is_live(const CUgraphExec_st* executable);

int replay(CUgraphExec_st& executable, cudaStream_t stream);

}  // namespace simt
