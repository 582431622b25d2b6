// Launches of graphs. Nodes that no edge orders run on streams of their own, so that the order between streams, which
// stream_uses.h and the race detection know, is the order of the graph.
#include <algorithm>
#include <unordered_map>

#include "arrays.h"
#include "captures.h"
#include "execution.h"
#include "host_uses.h"
#include "stream_table.h"

namespace simt {

namespace {
class Replay {
  public:
    Replay(CUgraphExec_st& executable, Stream& stream, void* handle)
        : executable_(executable), main_{&stream, handle, nullptr, stream.device} {
        main_.is_free = true;
    }

    Progress run(const CUgraph_st& graph, const Progress& begin) {
        Progress done = begin;
        for (const CUgraphNode_st* node : graph.order()) {
            if (error_ || sticky_error()) break;
            Progress before = begin;
            for (const Edge& edge : node->dependencies) before.merge(ends_[edge.from]);
            Lane& lane = lane_for(*node);
            {
                std::lock_guard lock(streams_lock);
                lane.stream->merge(before);
            }
            execute(*node, lane);
            lane.last = node;
            std::lock_guard lock(streams_lock);
            done.merge(ends_[node] = *lane.stream);
        }
        return done;
    }

    int error() const { return error_; }

  private:
    struct Lane {
        Stream* stream;
        void* handle;
        const CUgraphNode_st* last;
        int device;
        bool is_free = false;
    };

    // What follows one node directly may go on where that ran; what does not gets a stream that has not run in this launch.
    Lane& lane_for(const CUgraphNode_st& node) {
        for (const Edge& edge : node.dependencies) {
            for (Lane* lane : in_use_) {
                if (lane->last == edge.from && lane->device == node.device) return *lane;
            }
        }
        if (main_.is_free && main_.device == node.device) {
            main_.is_free = false;
            in_use_.push_back(&main_);
            return main_;
        }
        std::vector<void*>& pool = executable_.lanes[node.device];
        size_t& taken = taken_[node.device];
        if (taken == pool.size()) pool.push_back(create_branch(node.device));
        void* handle = pool[taken++];
        made_.push_back(std::make_unique<Lane>(Lane{find_stream(handle), handle, nullptr, node.device}));
        in_use_.push_back(made_.back().get());
        return *made_.back();
    }

    void execute(const CUgraphNode_st& node, Lane& lane) {
        if (!node.enabled) return;
        auto stream = static_cast<cudaStream_t>(lane.handle);
        simt_set_device(node.device);
        if (auto* kernel = std::get_if<KernelWork>(&node.work)) {
            simt_launch launch = kernel->launch(stream);
            error_ = simt_launch_kernel(&launch);
        } else if (auto* copy = std::get_if<cudaMemcpy3DParms>(&node.work)) {
            error_ = cudaMemcpy3DAsync(copy, stream);
        } else if (auto* memset = std::get_if<cudaMemsetParams>(&node.work)) {
            error_ = fill_elements(*memset, stream);
        } else if (auto* host = std::get_if<cudaHostNodeParams>(&node.work)) {
            host_uses.may_have_waited();
            host->fn(host->userData);
        } else if (auto* record = std::get_if<RecordWork>(&node.work)) {
            error_ = simt_event_record(record->event, stream);
        } else if (auto* wait = std::get_if<WaitWork>(&node.work)) {
            error_ = simt_stream_wait_event(stream, wait->event);
        } else if (auto* child = std::get_if<ChildWork>(&node.work)) {
            run_child(*child->graph, lane);
        }
    }

    void run_child(const CUgraph_st& graph, Lane& lane) {
        Progress begin;
        {
            std::lock_guard lock(streams_lock);
            begin = *lane.stream;
        }
        Progress done = run(graph, begin);
        std::lock_guard lock(streams_lock);
        lane.stream->merge(done);
    }

    CUgraphExec_st& executable_;
    Lane main_;
    std::vector<std::unique_ptr<Lane>> made_;
    std::vector<Lane*> in_use_;
    std::map<int, size_t> taken_;
    std::unordered_map<const CUgraphNode_st*, Progress> ends_;
    int error_ = 0;
};
}  // namespace

int replay(CUgraphExec_st& executable, cudaStream_t handle) {
    if (int error = sticky_error()) return error;
    if (int error = check_stream(handle)) return error;
    Stream* stream = find_stream(handle);
    int device = current_device();
    Progress begin;
    {
        std::lock_guard lock(streams_lock);
        begin = {earliest_start(*stream), clock_of_next(*stream)};
        begin.merge(executable.last);
    }
    Replay replay(executable, *stream, handle);
    Progress done = replay.run(*executable.graph, begin);
    simt_set_device(device);
    std::lock_guard lock(streams_lock);
    stream->merge(done);
    executable.last = done;
    return replay.error();  // a kernel's fault is the answer of the next call, as after a launch
}

}  // namespace simt
