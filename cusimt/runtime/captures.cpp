// The captures that are open, and what they forbid.
#include "captures.h"

#include <stdio.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "execution.h"
#include "host_call.h"
#include "stream_table.h"

namespace simt {

namespace {
std::vector<std::shared_ptr<Capture>> open_captures;  // under streams_lock
std::atomic<int> open_count{0};                       // most programs never capture
__thread cudaStreamCaptureMode thread_mode __attribute__((tls_model("initial-exec")));

template <class Visit>
void for_each_stream(Visit visit) {
    for (Stream& stream : stream_table().defaults) visit(stream);
    for (auto& [handle, stream] : stream_table().created) visit(*stream);
}

void end(const std::shared_ptr<Capture>& capture) {
    capture->has_ended = true;
    for_each_stream([&](Stream& stream) {
        if (stream.capture == capture) stream.capture.reset(), stream.tail.clear();
    });
    std::erase(open_captures, capture);
    open_count = int(open_captures.size());
}

int invalidate(Capture& capture, int error) {
    capture.is_invalid = true;
    return error;
}

// The legacy default stream waits for all streams that are not non-blocking, and so must not be used while one is captured.
int refuse_legacy(const Stream& stream, bool invalidates = true) {
    if (stream.id != 0) return cudaSuccess;
    int error = cudaSuccess;
    for_each_stream([&](Stream& other) {
        if (!other.capture || other.device != stream.device || other.flags & cudaStreamNonBlocking) return;
        error = cudaErrorStreamCaptureImplicit;
        if (invalidates) other.capture->is_invalid = true;
    });
    return error;
}

void add_nodes(std::vector<CUgraphNode_st*>& nodes, const std::vector<CUgraphNode_st*>& more) {
    for (CUgraphNode_st* node : more) {
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
}

// The node and all that it comes after.
void collect(const CUgraphNode_st* node, std::set<const CUgraphNode_st*>& seen) {
    std::vector<const CUgraphNode_st*> open = {node};
    while (!open.empty()) {
        const CUgraphNode_st* next = open.back();
        open.pop_back();
        if (!seen.insert(next).second) continue;
        for (const Edge& edge : next->dependencies) open.push_back(edge.from);
    }
}

bool is_joined(const std::shared_ptr<Capture>& capture, const Stream& origin) {
    std::set<const CUgraphNode_st*> seen;
    for (const CUgraphNode_st* node : origin.tail) collect(node, seen);
    bool joined = true;
    for_each_stream([&](const Stream& stream) {
        if (stream.capture != capture) return;
        for (const CUgraphNode_st* node : stream.tail) joined = joined && seen.contains(node);
    });
    return joined;
}
}  // namespace

bool is_capturing(const Stream& stream) { return stream.capture != nullptr; }

Fate fate_of_work(const void* handle) {
    if (!open_count) return {};
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return {};
    if (!stream->capture) return {refuse_legacy(*stream)};
    if (stream->capture->is_invalid) return {cudaErrorStreamCaptureInvalidated};
    return {cudaSuccess, stream};
}

int capture(Stream& stream, Work work) {
    std::scoped_lock lock(streams_lock, graphs_lock);
    std::vector<Edge> dependencies;
    for (CUgraphNode_st* node : stream.tail) dependencies.push_back({node, {}});
    CUgraphNode_st* node = stream.capture->graph->add(std::move(work), dependencies);
    node->device = stream.device;
    stream.tail = {node};
    return cudaSuccess;
}

std::optional<int> capture_launch(const simt_launch& launch) {
    Fate fate = fate_of_work(launch.stream);
    if (fate.error) return fate.error;
    if (!fate.captured) return std::nullopt;
    if (launch.of_programs || launch.refers_to_caller) {
        fprintf(stderr, "cusimt: %s cannot be captured into a CUDA graph: %s\n", launch.kernel ? launch.kernel : "this kernel",
                launch.of_programs ? "it is a kernel of Triton, which has run already."
                                   : "an argument refers to a variable of the function that launches. "
                                     "Name the type of an argument in braces. Thrust's algorithms cannot be captured.");
        return invalidate(*fate.captured->capture, cudaErrorNotSupported);
    }
    KernelWork kernel(launch);
    remember_kernel(kernel);
    return capture(*fate.captured, std::move(kernel));
}

int refuse_captured_work(const void* handle) {
    Fate fate = fate_of_work(handle);
    if (fate.captured) return invalidate(*fate.captured->capture, cudaErrorStreamCaptureUnsupported);
    return fate.error;
}

int refuse_captured_call(const char* call, const void* handle) {
    Fate fate = fate_of_work(handle);
    if (!fate.captured) return fate.error;
    fprintf(stderr, "cusimt: %s cannot be captured into a CUDA graph on the simulated device.\n", call);
    return invalidate(*fate.captured->capture, cudaErrorNotSupported);
}

int refuse_query(const void* handle) {
    if (!open_count) return cudaSuccess;
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return cudaSuccess;
    if (!stream->capture) return refuse_legacy(*stream);
    if (stream->capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
    return invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
}

int refuse_query_of_event(const void* handle) {
    std::lock_guard lock(streams_lock);
    Event* event = find_event(handle);
    if (!event) return cudaSuccess;
    if (event->capture) return invalidate(*event->capture, cudaErrorCapturedEvent);
    return refuse_unsafe_call();
}

int refuse_query_of_device(int device) {
    if (!open_count) return cudaSuccess;
    std::lock_guard lock(streams_lock);
    int error = cudaSuccess;
    for_each_stream([&](Stream& stream) {
        if (stream.capture && stream.device == device) {
            error = invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
        }
    });
    return error;
}

int refuse_unsafe_call() {
    if (!open_count || thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    std::lock_guard lock(streams_lock);
    int error = cudaSuccess;
    for (const auto& capture : open_captures) {
        bool is_own = capture->thread == std::this_thread::get_id();
        bool forbids = is_own ? capture->mode != cudaStreamCaptureModeRelaxed
                              : capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
        if (forbids) error = invalidate(*capture, cudaErrorStreamCaptureUnsupported);
    }
    return error;
}

int refuse_synchronous_call() {
    if (!open_count) return cudaSuccess;
    std::lock_guard lock(streams_lock);
    if (int error = refuse_legacy(default_stream(current_device()))) return error;
    return refuse_unsafe_call();
}

int record_captured(Event& event, Stream& stream) {
    std::lock_guard lock(streams_lock);
    if (stream.capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
    event.recorded = true;
    event.capture = stream.capture;
    event.tail = stream.tail;
    return cudaSuccess;
}

int wait_for_captured(Stream& stream, const Event& event) {
    std::lock_guard lock(streams_lock);
    if (!event.capture) return invalidate(*stream.capture, cudaErrorStreamCaptureIsolation);
    if (event.capture->has_ended) {
        return stream.capture ? invalidate(*stream.capture, cudaErrorStreamCaptureIsolation) : cudaErrorCapturedEvent;
    }
    if (event.capture->is_invalid || (stream.capture && stream.capture->is_invalid)) return cudaErrorStreamCaptureInvalidated;
    if (stream.capture && stream.capture != event.capture) {
        invalidate(*stream.capture, 0);
        return invalidate(*event.capture, cudaErrorStreamCaptureMerge);
    }
    if (stream.id == 0) return invalidate(*event.capture, cudaErrorStreamCaptureImplicit);
    stream.capture = event.capture;
    add_nodes(stream.tail, event.tail);
    return cudaSuccess;
}

void leave_capture(Stream& stream) {
    if (!stream.capture) return;
    std::shared_ptr<Capture> capture = stream.capture;
    invalidate(*capture, 0);
    if (capture->origin == stream.key()) end(capture);
}

}  // namespace simt

using namespace simt;

namespace {
cudaError_t begin(cudaStream_t handle, CUgraph_st* graph, const cudaGraphNode_t* nodes, size_t count,
                  cudaStreamCaptureMode mode) {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return failed(cudaErrorInvalidValue);
    if (int error = sticky_error()) return failed(error);
    std::scoped_lock lock(streams_lock, graphs_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    if (stream->id == 0) return failed(cudaErrorStreamCaptureUnsupported);
    if (stream->capture) return failed(cudaErrorIllegalState);
    for (size_t i = 0; i < count; ++i) {
        if (!is_live(nodes[i]) || nodes[i]->graph != graph) return failed(cudaErrorInvalidValue);
    }
    static uint64_t last_id = 0;
    auto capture = std::make_shared<Capture>();
    capture->id = ++last_id;
    if (!graph) capture->own = std::make_unique<CUgraph_st>(), capture->own->is_owned = true;
    capture->graph = graph ? graph : capture->own.get();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = stream->key();
    stream->capture = capture;
    stream->tail.assign(nodes, nodes + count);
    open_captures.push_back(std::move(capture));
    open_count = int(open_captures.size());
    return cudaSuccess;
}
}  // namespace

extern "C" {
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return begin(stream, nullptr, nullptr, 0, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
    if (!is_live(graph) || (count && !dependencies)) return failed(cudaErrorInvalidValue);
    return begin(stream, graph, dependencies, count, mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    if (!graph) return failed(cudaErrorInvalidValue);
    *graph = nullptr;
    std::scoped_lock lock(streams_lock, graphs_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    std::shared_ptr<Capture> capture = stream->capture;
    if (!capture) return failed(cudaErrorIllegalState);
    if (capture->origin != stream->key()) return failed(invalidate(*capture, cudaErrorStreamCaptureUnmatched));
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
        return failed(cudaErrorStreamCaptureWrongThread);
    }
    bool joined = capture->is_invalid || is_joined(capture, *stream);
    end(capture);
    if (capture->is_invalid) return failed(cudaErrorStreamCaptureInvalidated);
    if (!joined) return failed(cudaErrorStreamCaptureUnjoined);
    *graph = capture->graph;
    if (capture->own) capture->own.release()->is_owned = false;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     size_t* count) {
    if (!status || (edges && !dependencies)) return failed(cudaErrorInvalidValue);
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    if (int error = refuse_legacy(*stream, /*invalidates=*/false)) return failed(error);
    *status = cudaStreamCaptureStatus(simt_stream_capture_status(handle));
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id) *id = stream->capture->id;
    if (graph) *graph = stream->capture->graph;
    if (dependencies) *dependencies = stream->tail.data();
    if (edges) *edges = nullptr;  // all of them are of the default kind
    if (count) *count = stream->tail.size();
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                                size_t count, unsigned int flags) {
    if (flags > cudaStreamSetCaptureDependencies || (count && !dependencies)) return failed(cudaErrorInvalidValue);
    std::scoped_lock lock(streams_lock, graphs_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    if (!stream->capture) return failed(cudaErrorIllegalState);
    if (stream->capture->is_invalid) return failed(cudaErrorStreamCaptureInvalidated);
    for (size_t i = 0; i < count; ++i) {
        if (!is_live(dependencies[i]) || dependencies[i]->graph != stream->capture->graph) return failed(cudaErrorInvalidValue);
    }
    if (flags == cudaStreamSetCaptureDependencies) stream->tail.clear();
    add_nodes(stream->tail, {dependencies, dependencies + count});
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed) {
        return failed(cudaErrorInvalidValue);
    }
    std::swap(thread_mode, *mode);
    return cudaSuccess;
}

int simt_uncaptured_work(void* stream, const char* call) { return set_error(refuse_captured_call(call, stream)); }

int simt_stream_capture_status(void* handle) {
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(handle);
    if (!stream || !stream->capture) return cudaStreamCaptureStatusNone;
    return stream->capture->is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}
}
