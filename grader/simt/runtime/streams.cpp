#include "streams.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "api_log.h"
#include "arena.h"
#include "cuda_runtime_api.h"
#include "execution.h"

namespace simt {

namespace {
std::recursive_mutex streams_lock;
struct Streams {
    Stream defaults[kDevices];
    std::unordered_map<const void*, std::unique_ptr<Stream>> created;
    std::unordered_map<const void*, std::unique_ptr<Event>> events;
    uint64_t last_id = 0;
    double host = 0;
};

Streams& all() {
    static auto* streams = new Streams;   // never destroyed: other libraries release events from their own destructors
    static bool numbered = [] {
        for (int i = 0; i < kDevices; ++i) streams->defaults[i].device = i;
        return true;
    }();
    (void)numbered;
    return *streams;
}

__thread int this_device __attribute__((tls_model("initial-exec")));
__thread void* current_streams[kDevices] __attribute__((tls_model("initial-exec")));

// The legacy default stream waits for every stream that was not created as non-blocking, and they wait for it.
double earliest_start(const Stream& stream) {
    double start = std::max(all().host, stream.busy_until);
    if (stream.flags & cudaStreamNonBlocking) return start;
    if (stream.id != 0) return std::max(start, all().defaults[stream.device].busy_until);
    for (const auto& [handle, other] : all().created) {
        bool blocking = other->device == stream.device && !(other->flags & cudaStreamNonBlocking);
        if (blocking) start = std::max(start, other->busy_until);
    }
    return start;
}
}  // namespace

int current_device() { return this_device; }

Stream& default_stream(int device) { return all().defaults[device]; }

Stream* find_stream(const void* handle) {
    std::lock_guard lock(streams_lock);
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return &all().defaults[this_device];
    for (Stream& stream : all().defaults) {
        if (handle == &stream) return &stream;
    }
    auto it = all().created.find(handle);
    return it == all().created.end() ? nullptr : it->second.get();
}

Event* find_event(const void* handle) {
    std::lock_guard lock(streams_lock);
    auto it = all().events.find(handle);
    return it == all().events.end() ? nullptr : it->second.get();
}

int check_stream(cudaStream_t handle) {
    Stream* stream = find_stream(handle);
    return stream && stream->device == this_device ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

double host_time() { return all().host; }

void pass_host_time(double us) {
    std::lock_guard lock(streams_lock);
    all().host += us;
}

void host_waits_for(double time) {
    std::lock_guard lock(streams_lock);
    all().host = std::max(all().host, time);
}

bool has_happened(double time) {
    std::lock_guard lock(streams_lock);
    all().host += 1;
    return all().host >= time;
}

double device_busy_until(int device) {
    std::lock_guard lock(streams_lock);
    double time = all().defaults[device].busy_until;
    for (const auto& [handle, stream] : all().created) {
        if (stream->device == device) time = std::max(time, stream->busy_until);
    }
    return time;
}

double advance_stream(void* handle, double duration_us) {
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return duration_us;
    stream->busy_until = earliest_start(*stream) + duration_us;
    all().host += 1.5;   // what submitting costs the host
    return duration_us;
}

}  // namespace simt

using namespace simt;

extern "C" {
int simt_get_device(void) { return this_device; }

int simt_set_device(int device) {
    if (device < 0 || device >= kDevices) return cudaErrorInvalidDevice;
    this_device = device;
    return cudaSuccess;
}

void* simt_stream_create(int device, int priority) {
    std::lock_guard lock(streams_lock);
    auto stream = std::make_unique<Stream>();
    stream->device = device;
    stream->priority = std::clamp(priority, -5, 0);
    stream->flags = cudaStreamNonBlocking;   // torch's pool; cudaStreamCreate sets its own flags
    stream->id = ++all().last_id;
    stream->busy_until = all().host;
    void* handle = stream.get();
    all().created[handle] = std::move(stream);
    return handle;
}

void simt_stream_destroy(void* handle) {
    std::lock_guard lock(streams_lock);
    all().created.erase(handle);
}

uint64_t simt_stream_id(void* handle) {
    Stream* stream = find_stream(handle);
    return stream ? stream->id : 0;
}

void* simt_stream_from_id(int device, uint64_t id) {
    std::lock_guard lock(streams_lock);
    if (id == 0) return nullptr;
    for (auto& [handle, stream] : all().created) {
        if (stream->device == device && stream->id == id) return stream.get();
    }
    return nullptr;
}

int simt_stream_device(void* handle) {
    Stream* stream = find_stream(handle);
    return stream ? stream->device : -1;
}

int simt_stream_priority(void* handle) {
    Stream* stream = find_stream(handle);
    return stream ? stream->priority : 0;
}

int simt_stream_query(void* handle) {
    Stream* stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    return has_happened(stream->busy_until) ? cudaSuccess : cudaErrorNotReady;
}

void simt_stream_synchronize(void* handle) {
    {
        std::lock_guard lock(streams_lock);
        if (Stream* stream = find_stream(handle)) host_waits_for(earliest_start(*stream));
    }
    log_api_call({.call = "torch::synchronize", .kind = "sync"});
}

void simt_stream_work(void* handle, double microseconds) { advance_stream(handle, microseconds); }

void simt_set_current_stream(int device, void* handle) {
    if (device >= 0 && device < kDevices) current_streams[device] = handle;
}

void* simt_current_stream(int device) { return device >= 0 && device < kDevices ? current_streams[device] : nullptr; }

void* simt_event_create(unsigned flags) {
    std::lock_guard lock(streams_lock);
    auto event = std::make_unique<Event>();
    event->flags = flags;
    event->device = this_device;
    void* handle = event.get();
    all().events[handle] = std::move(event);
    return handle;
}

void simt_event_destroy(void* handle) {
    std::lock_guard lock(streams_lock);
    all().events.erase(handle);
}

int simt_event_record(void* handle, void* stream_handle) {
    std::lock_guard lock(streams_lock);
    Event* event = find_event(handle);
    Stream* stream = find_stream(stream_handle);
    if (!event || !stream) return cudaErrorInvalidResourceHandle;
    event->recorded = true;
    event->time = earliest_start(*stream);
    return cudaSuccess;
}

int simt_event_query(void* handle) {
    Event* event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    return !event->recorded || has_happened(event->time) ? cudaSuccess : cudaErrorNotReady;
}

void simt_event_synchronize(void* handle) {
    if (Event* event = find_event(handle)) host_waits_for(event->time);
    log_api_call({.call = "torch::synchronize", .kind = "sync"});
}

int simt_event_elapsed_ms(float* ms, void* start_handle, void* stop_handle) {
    Event *start = find_event(start_handle), *stop = find_event(stop_handle);
    if (!start || !stop || !start->recorded || !stop->recorded) return cudaErrorInvalidResourceHandle;
    if ((start->flags | stop->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (!has_happened(stop->time)) return cudaErrorNotReady;
    *ms = float((stop->time - start->time) / 1000);
    return cudaSuccess;
}

int simt_stream_wait_event(void* stream_handle, void* handle) {
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(stream_handle);
    Event* event = find_event(handle);
    if (!stream || !event) return cudaErrorInvalidResourceHandle;
    if (event->recorded) stream->busy_until = std::max(stream->busy_until, event->time);
    return cudaSuccess;
}

void simt_synchronize(int device) {
    if (device >= 0 && device < kDevices) host_waits_for(device_busy_until(device));
    log_api_call({.call = "torch::synchronize", .kind = "sync"});
}
}
