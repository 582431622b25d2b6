// Stream capture: what is submitted to a stream becomes nodes of a graph instead of running.
//
// A capture begins on one stream. Another stream joins it by waiting for an event that was recorded in it, and has to be waited
// for in the end. A stream under capture has a set of nodes on which its next node will depend. The rules, and the errors for
// breaking them, are those of the CUDA programming guide ("Prohibited and Unhandled Operations"): who asks whether captured work
// is done, or makes captured and other work depend on each other, invalidates the capture.
#pragma once
#include <memory>
#include <optional>
#include <thread>

#include "graphs.h"

namespace simt {

struct Capture {
    uint64_t id = 0;
    CUgraph_st* graph = nullptr;
    std::unique_ptr<CUgraph_st> own;  // unless the program gave the graph
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;
    uint64_t origin = 0;  // key of the stream
    bool is_invalid = false, has_ended = false;
};

// What is to happen with work for a stream: it runs, or fails, or is captured.
struct Fate {
    int error = 0;
    Stream* captured = nullptr;
};
Fate fate_of_work(const void* stream);
// Adds a node to what the stream captures; 0.
int capture(Stream& stream, Work work);
// A launch on a stream under capture, or one that becomes a node: what to answer. Nothing: it is to run.
std::optional<int> capture_launch(const simt_launch& launch);
// Work that cannot be captured: 0 where the stream is not under capture, else the error; the capture fails.
int refuse_captured_work(const void* stream);

// The same for what CUDA could capture and this device cannot: a line says which call it was.
int refuse_captured_call(const char* call, const void* stream);

// 0, or the error of a call that asks for the state of a stream, an event, the device, or waits for it.
int refuse_query(const void* stream);
int refuse_query_of_event(const void* event);
int refuse_query_of_device(int device);
// The same for calls that work on no stream, such as an allocation, and for those that copy or fill synchronously.
int refuse_unsafe_call();
int refuse_synchronous_call();

bool is_capturing(const Stream& stream);
int record_captured(Event& event, Stream& stream);  // 0 or an error
int wait_for_captured(Stream& stream, const Event& event);
void leave_capture(Stream& stream);  // that is destroyed

}  // namespace simt
