// Events: points on a stream that have a simulated time and that other streams can wait for.
#include <algorithm>

#include "api_log.h"
#include "captures.h"
#include "cuda_runtime_api.h"
#include "execution.h"
#include "stream_table.h"

namespace simt {

Event* find_event(const void* handle) {
    std::lock_guard lock(streams_lock);
    auto it = stream_table().events.find(handle);
    return it == stream_table().events.end() ? nullptr : it->second.get();
}

void host_waits_for(const Event& event) {
    std::lock_guard lock(streams_lock);
    stream_table().host = std::max(stream_table().host, event.time);
    stream_table().host_clock.merge(event.clock);
}

bool has_happened(double time, const Clock& clock) {
    std::lock_guard lock(streams_lock);
    stream_table().host += 1;
    if (stream_table().host < time) return false;
    stream_table().host_clock.merge(clock);
    return true;
}

}  // namespace simt

using namespace simt;

extern "C" {
void* simt_event_create(unsigned flags) {
    std::lock_guard lock(streams_lock);
    auto event = std::make_unique<Event>();
    event->flags = flags;
    event->device = current_device();
    void* handle = event.get();
    stream_table().events[handle] = std::move(event);
    return handle;
}

void simt_event_destroy(void* handle) {
    std::lock_guard lock(streams_lock);
    stream_table().events.erase(handle);
}

int simt_event_record(void* handle, void* stream_handle) {
    std::lock_guard lock(streams_lock);
    Event* event = find_event(handle);
    Stream* stream = find_stream(stream_handle);
    if (!event || !stream) return cudaErrorInvalidResourceHandle;
    if (is_capturing(*stream)) return record_captured(*event, *stream);
    event->recorded = true;
    event->capture.reset(), event->tail.clear();
    event->time = earliest_start(*stream);
    event->clock = clock_of_next(*stream);
    return cudaSuccess;
}

int simt_event_query(void* handle) {
    Event* event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    if (int error = refuse_query_of_event(handle)) return error;
    return !event->recorded || has_happened(event->time, event->clock) ? cudaSuccess : cudaErrorNotReady;
}

int simt_event_elapsed_ms(float* ms, void* start_handle, void* stop_handle) {
    Event *start = find_event(start_handle), *stop = find_event(stop_handle);
    if (!start || !stop || !start->recorded || !stop->recorded) return cudaErrorInvalidResourceHandle;
    for (void* handle : {start_handle, stop_handle}) {
        if (int error = refuse_query_of_event(handle)) return error;
    }
    if ((start->flags | stop->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (!has_happened(stop->time, stop->clock)) return cudaErrorNotReady;
    *ms = float((stop->time - start->time) / 1000);
    return cudaSuccess;
}

int simt_stream_wait_event(void* stream_handle, void* handle) {
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(stream_handle);
    Event* event = find_event(handle);
    if (!stream || !event) return cudaErrorInvalidResourceHandle;
    if (is_capturing(*stream) || event->capture) return wait_for_captured(*stream, *event);
    if (!event->recorded) return cudaSuccess;
    stream->busy_until = std::max(stream->busy_until, event->time);
    stream->clock.merge(event->clock);
    return cudaSuccess;
}
}
