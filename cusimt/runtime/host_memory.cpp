// The cudaMalloc family: device, managed and pinned host memory.
#include <stdint.h>

#include "arena.h"
#include "captures.h"
#include "driver_contexts.h"
#include "execution.h"
#include "findings.h"
#include "host_call.h"
#include "host_calls.h"
#include "host_uses.h"
#include "modules.h"
#include "registered.h"
#include "streams.h"

using namespace simt;

namespace {
constexpr size_t kPitch = 512;

// Memory that belongs to a stream is allocated and freed in its order, so a capture would have to make nodes of that.
enum class Order { none, of_stream };
int refuse(Order order, const char* call, cudaStream_t stream) {
    return order == Order::none ? refuse_unsafe_call() : refuse_captured_call(call, stream);
}

cudaError_t allocate_for(const char* call, void** pointer, size_t bytes, int region, const AllocationOptions& options,
                         Order order = Order::none, cudaStream_t stream = nullptr) {
    ApiCall record{.call = call, .kind = "alloc", .bytes = bytes, .stream = stream};
    if (int error = sticky_error()) return answer(record, error);
    if (int error = refuse(order, call, stream)) return answer(record, error);
    if (!pointer) return answer(record, cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return answer(record, cudaSuccess);
    *pointer = allocate(region, bytes, options);
    return answer(record, *pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t allocate_pinned(const char* call, void** pointer, size_t bytes) {
    return allocate_for(call, pointer, bytes, kPinned, {.managed = true, .runtime_api = true, .home = current_device()});
}

void report_free(const char* call, void* pointer, Release outcome, const void* call_site) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    bool again = outcome == Release::already_freed;
    report({.kind = again ? "double_free" : "invalid_free",
            .call_site = call_site,
            .address = address,
            .allocation = nearest_allocation(address),
            .note = call});
}

// Double frees and pointers that were never allocated are invalid arguments, as in CUDA.
cudaError_t free_for(const char* call, void* pointer, bool pinned, const void* call_site, Order order = Order::none,
                     cudaStream_t stream = nullptr) {
    ApiCall record{.call = call, .kind = "free", .stream = stream};
    if (int error = sticky_error()) return answer(record, error);
    if (int error = refuse(order, call, stream)) return answer(record, error);
    if (!pointer) return answer(record, cudaSuccess);
    bool is_pinned = arena.region(reinterpret_cast<uintptr_t>(pointer)) == kPinned;
    Release outcome = is_pinned == pinned ? release(pointer, true) : Release::unknown;
    if (outcome == Release::done) return answer(record, cudaSuccess);
    report_free(call, pointer, outcome, call_site);
    return answer(record, cudaErrorInvalidValue);
}
}  // namespace

namespace simt {

cudaError_t allocate_memory(const char* call, void** pointer, size_t bytes) {
    return allocate_for(call, pointer, bytes, current_device(), {.runtime_api = true});
}

cudaError_t free_memory(const char* call, void* pointer, const void* call_site) {
    return free_for(call, pointer, false, call_site);
}

}  // namespace simt

extern "C" {
cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    use_primary_context();
    return allocate_memory("cudaMalloc", pointer, bytes);
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    if (!pitch) return failed(cudaErrorInvalidValue);
    size_t bytes;  // what wraps is more memory than any device has
    bool wraps = __builtin_add_overflow(width, kPitch - 1, &bytes);
    *pitch = bytes / kPitch * kPitch;
    if (__builtin_mul_overflow(*pitch, height, &bytes) || wraps) bytes = SIZE_MAX;
    return allocate_for("cudaMallocPitch", pointer, bytes, current_device(), {.runtime_api = true});
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    if (int error = check_stream(stream)) return failed(error);
    return allocate_for("cudaMallocAsync", pointer, bytes, current_device(), {.runtime_api = true}, Order::of_stream, stream);
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return failed(cudaErrorInvalidValue);
    return allocate_for("cudaMallocManaged", pointer, bytes, current_device(), {.managed = true, .runtime_api = true});
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
    if (flags & ~7u) return failed(cudaErrorInvalidValue);
    return allocate_pinned("cudaHostAlloc", pointer, bytes);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return allocate_pinned("cudaMallocHost", pointer, bytes); }

cudaError_t cudaFree(void* pointer) {
    use_primary_context();
    host_uses.may_have_waited();
    return free_memory("cudaFree", pointer, __builtin_return_address(0));
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    if (int error = check_stream(stream)) return failed(error);
    return free_for("cudaFreeAsync", pointer, false, __builtin_return_address(0), Order::of_stream, stream);
}

cudaError_t cudaFreeHost(void* pointer) {
    host_uses.may_have_waited();
    return free_for("cudaFreeHost", pointer, true, __builtin_return_address(0));
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
    if (flags & ~15u) return failed(cudaErrorInvalidValue);
    return answer({.call = "cudaHostRegister", .kind = "alloc", .bytes = bytes}, register_host_memory(pointer, bytes));
}

cudaError_t cudaHostUnregister(void* pointer) {
    return answer({.call = "cudaHostUnregister", .kind = "free"}, unregister_host_memory(pointer));
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags) {
    if (!device_pointer || flags != 0) return failed(cudaErrorInvalidValue);
    auto address = reinterpret_cast<uintptr_t>(host_pointer);
    bool pinned = arena.region(address) == kPinned && find_allocation(address);
    if (!pinned && !is_registered_host_memory(address, 1)) return failed(cudaErrorInvalidValue);
    *device_pointer = host_pointer;  // unified addressing
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host_pointer) {
    void* ignored;
    if (!flags || cudaHostGetDevicePointer(&ignored, host_pointer, 0) != cudaSuccess) return failed(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    if (int error = sticky_error()) return failed(error);
    if (!free || !total) return failed(cudaErrorInvalidValue);
    uint64_t free_bytes, total_bytes;
    memory_info(current_device(), &free_bytes, &total_bytes);
    *free = free_bytes;
    *total = total_bytes;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (!attributes) return failed(cudaErrorInvalidValue);
    auto address = reinterpret_cast<uintptr_t>(pointer);
    auto* writable = const_cast<void*>(pointer);
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, writable};
    Symbol symbol;
    if (auto allocation = find_allocation(address); allocation && !allocation->heap) {
        bool pinned = allocation->region == kPinned;
        *attributes = {pinned                ? cudaMemoryTypeHost
                       : allocation->managed ? cudaMemoryTypeManaged
                                             : cudaMemoryTypeDevice,
                       pinned ? allocation->home : allocation->region, writable, allocation->managed ? writable : nullptr};
    } else if (is_registered_host_memory(address, 1)) {
        *attributes = {cudaMemoryTypeHost, current_device(), writable, writable};
    } else if (find_symbol(pointer, &symbol)) {
        *attributes = {cudaMemoryTypeDevice, current_device(), writable, nullptr};
    }
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation, unsigned int, cudaStream_t stream) {
    if (int error = check_stream(stream)) return failed(error);
    if (int error = refuse_captured_work(stream)) return failed(error);
    auto allocation = find_allocation(reinterpret_cast<uintptr_t>(pointer));
    return failed(allocation && allocation->managed && bytes > 0 ? cudaSuccess : cudaErrorInvalidValue);
}

// This device's managed memory is for host and device at once (concurrentManagedAccess), whatever stream it belongs to.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned int flags) {
    if (int error = check_stream(stream)) return failed(error);
    if (int error = refuse_captured_work(stream)) return failed(error);
    bool is_flag = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    if (!is_flag || (flags == cudaMemAttachSingle && !stream)) return failed(cudaErrorInvalidValue);
    auto allocation = find_allocation(reinterpret_cast<uintptr_t>(pointer));
    if (!allocation || !allocation->managed) return failed(cudaErrorInvalidValue);
    bool is_whole = reinterpret_cast<uintptr_t>(pointer) == allocation->base && bytes == allocation->bytes;
    return failed(bytes == 0 || is_whole ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
    auto allocation = find_allocation(reinterpret_cast<uintptr_t>(pointer));
    return failed(allocation && allocation->managed && bytes > 0 ? cudaSuccess : cudaErrorInvalidValue);
}
}
