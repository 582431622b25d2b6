// Streams on the simulated clock: submission, synchronisation and the order between streams.
#include "streams.h"

#include <algorithm>

#include "api_log.h"
#include "captures.h"
#include "cuda_runtime_api.h"
#include "driver_contexts.h"
#include "execution.h"
#include "stream_table.h"

namespace simt {

std::recursive_mutex streams_lock;

StreamTable& stream_table() {
    static auto* table = new StreamTable;  // never destroyed: other libraries release events from their own destructors
    static bool numbered = [] {
        for (int i = 0; i < kDevices; ++i) table->defaults[i].device = i;
        return true;
    }();
    (void)numbered;
    return *table;
}

namespace {
__thread int this_device __attribute__((tls_model("initial-exec")));
__thread void* current_streams[kDevices] __attribute__((tls_model("initial-exec")));
__thread void* per_thread_streams[kDevices] __attribute__((tls_model("initial-exec")));

// The stream that was current when watching began, the last work on it, and what that comes after.
struct Watched {
    uint64_t stream = 0;
    Moment mark;
    Clock before;
} watched[kDevices];

// The legacy default stream waits for every stream that was not created as non-blocking, and they wait for it.
template <class Visit>
void for_each_implicitly_awaited(const Stream& stream, Visit visit) {
    if (stream.flags & cudaStreamNonBlocking) return;
    if (stream.id != 0) return visit(stream_table().defaults[stream.device]);
    visit(stream_table().retired_blocking[stream.device]);
    for (const auto& [handle, other] : stream_table().created) {
        if (other->device == stream.device && !(other->flags & cudaStreamNonBlocking)) visit(*other);
    }
}

// What cudaStreamPerThread means in this host thread: a stream of its own, which waits for the default stream as others do.
const void* per_thread_stream() {
    void*& handle = per_thread_streams[this_device];
    if (handle) return handle;
    handle = simt_stream_create(this_device, 0);
    Stream& stream = *stream_table().created.at(handle);
    stream.flags = cudaStreamDefault;
    stream_table().per_thread.insert(stream.key());
    return handle;
}

Stream& current_stream(int device) {
    Stream* stream = current_streams[device] ? find_stream(current_streams[device]) : nullptr;
    return stream ? *stream : stream_table().defaults[device];
}

Moment submit(Stream& stream) {
    stream.clock = clock_of_next(stream);
    stream.submitted += 1;
    stream.clock.pass(stream.latest());
    return stream.latest();
}
}  // namespace

double earliest_start(const Stream& stream) {
    double start = std::max(stream_table().host, stream.busy_until);
    for_each_implicitly_awaited(stream, [&](const Progress& other) { start = std::max(start, other.busy_until); });
    return start;
}

double start_of_next(const void* handle) {
    std::lock_guard lock(streams_lock);
    const Stream* stream = find_stream(handle);
    return stream ? earliest_start(*stream) : 0;
}

Clock clock_of_next(const Stream& stream) {
    std::lock_guard lock(streams_lock);
    Clock clock = stream.clock;
    clock.merge(stream_table().host_clock);
    for_each_implicitly_awaited(stream, [&](const Progress& other) { clock.merge(other.clock); });
    return clock;
}

Clock host_clock() {
    std::lock_guard lock(streams_lock);
    return stream_table().host_clock;
}

int current_device() { return this_device; }

Stream& default_stream(int device) { return stream_table().defaults[device]; }

Stream* find_stream(const void* handle) {
    std::lock_guard lock(streams_lock);
    StreamTable& table = stream_table();
    if (!handle || handle == cudaStreamLegacy) return &table.defaults[this_device];
    if (handle == cudaStreamPerThread) handle = per_thread_stream();
    for (Stream& stream : table.defaults) {
        if (handle == &stream) return &stream;
    }
    auto it = table.created.find(handle);
    return it == table.created.end() ? nullptr : it->second.get();
}

Stream* stream_of_key(uint64_t key) {
    std::lock_guard lock(streams_lock);
    for (Stream& stream : stream_table().defaults) {
        if (stream.key() == key) return &stream;
    }
    for (auto& [handle, stream] : stream_table().created) {
        if (stream->key() == key) return stream.get();
    }
    return nullptr;
}

std::string name_of_stream(uint64_t key) {
    if (key > ~uint64_t(kDevices)) {
        const uint64_t device = ~key;
        return device ? "the default stream of cuda:" + std::to_string(device) : "the default stream";
    }
    std::lock_guard lock(streams_lock);
    if (stream_table().per_thread.contains(key)) return "the per-thread default stream " + std::to_string(key);
    const bool is_branch = stream_table().branches.contains(key);
    return (is_branch ? "branch " : "stream ") + std::to_string(key) + (is_branch ? " of a graph" : "");
}

void* create_branch(int device) {
    std::lock_guard lock(streams_lock);
    void* handle = simt_stream_create(device, 0);
    stream_table().branches.insert(find_stream(handle)->key());
    return handle;
}

int check_stream(cudaStream_t handle) {
    Stream* stream = find_stream(handle);
    return stream && stream->device == this_device ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

double host_time() { return stream_table().host; }

void pass_host_time(double us) {
    std::lock_guard lock(streams_lock);
    stream_table().host += us;
}

void host_waits_for(const Stream& stream) {
    std::lock_guard lock(streams_lock);
    stream_table().host = std::max(stream_table().host, earliest_start(stream));
    stream_table().host_clock.merge(clock_of_next(stream));
}

void host_waits_for_device(int device) {
    std::lock_guard lock(streams_lock);
    StreamTable& table = stream_table();
    host_waits_for(table.defaults[device]);
    for (const auto& [handle, stream] : table.created) {
        if (stream->device == device) host_waits_for(*stream);
    }
    table.host = std::max(table.host, table.retired[device].busy_until);
    table.host_clock.merge(table.retired[device].clock);
    table.retired[device] = table.retired_blocking[device] = {};  // all that comes later comes after the host
}

Submitted advance_stream(void* handle, double duration_us) {
    std::lock_guard lock(streams_lock);
    Stream* stream = find_stream(handle);
    if (!stream) return {};
    double queued = stream_table().host, begin = earliest_start(*stream), end = begin + duration_us;
    stream->busy_until = end;
    stream_table().host += 1.5;  // what submitting costs the host
    const Watched& caller = watched[stream->device];
    std::vector<Moment> after = clock_of_next(*stream).beyond(caller.before);
    Moment moment = submit(*stream);
    return {moment, stream->clock.covers(caller.mark), std::move(after), queued, begin, end};
}

bool is_awaited(const Moment& moment, int device) {
    std::lock_guard lock(streams_lock);
    Stream* stream = stream_of_key(watched[device].stream);
    return !stream || clock_of_next(*stream).covers(moment);
}

}  // namespace simt

using namespace simt;

extern "C" {
int simt_get_device(void) { return this_device; }

int simt_set_device(int device) {
    if (device < 0 || device >= kDevices) return cudaErrorInvalidDevice;
    this_device = device;
    use_primary_context_of(device);
    return cudaSuccess;
}

void* simt_stream_create(int device, int priority) {
    std::lock_guard lock(streams_lock);
    StreamTable& table = stream_table();
    auto stream = std::make_unique<Stream>();
    stream->device = device;
    stream->priority = std::clamp(priority, -5, 0);
    stream->flags = cudaStreamNonBlocking;  // torch's pool; cudaStreamCreate sets its own flags
    stream->id = ++table.last_id;
    stream->busy_until = table.host;
    void* handle = stream.get();
    table.created[handle] = std::move(stream);
    return handle;
}

void simt_stream_destroy(void* handle) {
    std::lock_guard lock(streams_lock);
    StreamTable& table = stream_table();
    auto found = table.created.find(handle);
    if (found == table.created.end()) return;
    Stream& stream = *found->second;
    leave_capture(stream);
    table.retired[stream.device].merge(stream);
    if (!(stream.flags & cudaStreamNonBlocking)) table.retired_blocking[stream.device].merge(stream);
    table.created.erase(found);
}

uint64_t simt_stream_id(void* handle) {
    Stream* stream = find_stream(handle);
    return stream ? stream->id : 0;
}

void* simt_stream_from_id(int device, uint64_t id) {
    Stream* stream = id ? stream_of_key(id) : nullptr;
    return stream && stream->device == device ? stream : nullptr;
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
    if (int error = refuse_query(handle)) return error;
    return has_happened(stream->busy_until, stream->clock) ? cudaSuccess : cudaErrorNotReady;
}

void simt_stream_synchronize(void* handle) {
    if (Stream* stream = find_stream(handle)) host_waits_for(*stream);
    log_api_call({.call = "torch::synchronize", .kind = "sync"});
}

void simt_stream_work(void* handle, double microseconds) { advance_stream(handle, microseconds); }

void simt_set_current_stream(int device, void* handle) {
    use_primary_context();
    if (device >= 0 && device < kDevices) current_streams[device] = handle;
}

void* simt_current_stream(int device) { return device >= 0 && device < kDevices ? current_streams[device] : nullptr; }

// What the caller has queued is one more piece of work, without duration: only who waits for it waits for the caller.
void simt_watch_streams(void) {
    std::lock_guard lock(streams_lock);
    for (int device = 0; device < kDevices; ++device) {
        Stream& stream = current_stream(device);
        Moment mark = submit(stream);
        watched[device] = {stream.key(), mark, stream.clock};
    }
}

int simt_synchronize(int device) {
    if (int error = refuse_query_of_device(device)) return set_error(error);
    if (device >= 0 && device < kDevices) host_waits_for_device(device);
    log_api_call({.call = "torch::synchronize", .kind = "sync"});
    return cudaSuccess;
}
}
