// Streams and events of the host API.
#include "captures.h"
#include "device_limits.h"
#include "driver_contexts.h"
#include "host_call.h"
#include "host_uses.h"
#include "streams.h"

using namespace simt;

namespace {
template <class Wait>
cudaError_t wait_for(const char* call, const void* stream, int refused, Wait wait) {
    ApiCall record{.call = call, .kind = "sync", .stream = stream};
    if (int error = sticky_error()) return answer(record, error);
    if (refused) return answer(record, refused);
    wait();
    return answer(record, cudaSuccess);
}

// An event's own node: one of a graph's launches then records it, or waits for it. Outside of a capture there is none.
cudaError_t capture_external(cudaStream_t stream, cudaEvent_t event, Work work) {
    Fate fate = fate_of_work(stream);
    if (fate.error) return failed(fate.error);
    if (!fate.captured) return failed(cudaErrorInvalidValue);
    if (!find_event(event)) return failed(cudaErrorInvalidResourceHandle);
    return failed(capture(*fate.captured, std::move(work)));
}
}  // namespace

extern "C" {
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
    if (int error = sticky_error()) return failed(error);
    if (!stream || flags & ~unsigned(cudaStreamNonBlocking)) return failed(cudaErrorInvalidValue);
    void* handle = simt_stream_create(current_device(), priority);
    find_stream(handle)->flags = flags;
    *stream = static_cast<cudaStream_t>(handle);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    Stream* found = find_stream(stream);
    const bool is_default = !found || found->id == 0 || stream == cudaStreamPerThread;
    if (is_default) return failed(cudaErrorInvalidResourceHandle);
    simt_stream_destroy(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    Stream* found = find_stream(stream);
    if (!found) return failed(cudaErrorInvalidResourceHandle);
    return wait_for("cudaStreamSynchronize", stream, refuse_query(stream), [&] { host_waits_for(*found); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (int error = sticky_error()) return failed(error);
    return failed(simt_stream_query(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    if (flags & ~unsigned(cudaEventWaitExternal)) return failed(cudaErrorInvalidValue);
    if (!flags) return failed(simt_stream_wait_event(stream, event));
    return capture_external(stream, event, WaitWork{event});
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
    Stream* found = find_stream(stream);
    if (!found) return failed(cudaErrorInvalidResourceHandle);
    *flags = found->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    Stream* found = find_stream(stream);
    if (!found) return failed(cudaErrorInvalidResourceHandle);
    *priority = found->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    Stream* found = find_stream(stream);
    if (!found) return failed(cudaErrorInvalidResourceHandle);
    *device = found->device;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    Stream* found = find_stream(stream);
    if (!found) return failed(cudaErrorInvalidResourceHandle);
    *id = found->id;
    return cudaSuccess;
}

// Submitted work has been executed already, so its callback may run at once.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* user_data, unsigned int flags) {
    if (!find_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
    if (!callback || flags) return failed(cudaErrorInvalidValue);
    if (int error = refuse_captured_work(stream)) return failed(error);
    host_uses.may_have_waited();
    callback(stream, cudaError_t(sticky_error()), user_data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
    if (!find_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
    if (!function) return failed(cudaErrorInvalidValue);
    Fate fate = fate_of_work(stream);
    if (fate.error) return failed(fate.error);
    if (fate.captured) return failed(capture(*fate.captured, cudaHostNodeParams{function, user_data}));
    host_uses.may_have_waited();
    function(user_data);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    if (int error = sticky_error()) return failed(error);
    if (!event || flags & ~7u) return failed(cudaErrorInvalidValue);
    *event = static_cast<cudaEvent_t>(simt_event_create(flags));
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!find_event(event)) return failed(cudaErrorInvalidResourceHandle);
    simt_event_destroy(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (int error = sticky_error()) return failed(error);
    return failed(simt_event_record(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    if (flags & ~unsigned(cudaEventRecordExternal)) return failed(cudaErrorInvalidValue);
    return flags ? capture_external(stream, event, RecordWork{event}) : cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (int error = sticky_error()) return failed(error);
    return failed(simt_event_query(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    Event* found = find_event(event);
    if (!found) return failed(cudaErrorInvalidResourceHandle);
    return wait_for("cudaEventSynchronize", nullptr, refuse_query_of_event(event), [&] { host_waits_for(*found); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (int error = sticky_error()) return failed(error);
    if (!milliseconds) return failed(cudaErrorInvalidValue);
    return failed(simt_event_elapsed_ms(milliseconds, start, end));
}

cudaError_t cudaDeviceSynchronize(void) {
    use_primary_context();
    int device = current_device();
    return wait_for("cudaDeviceSynchronize", nullptr, refuse_query_of_device(device), [=] { host_waits_for_device(device); });
}
}
