// cudaMemcpy and cudaMemset in their forms. What is refused, and with which error, is as measured on an H200 with CUDA 13.0.
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "captures.h"
#include "host_call.h"
#include "host_calls.h"
#include "host_uses.h"
#include "modules.h"
#include "registered.h"
#include "shield.h"
#include "stream_uses.h"
#include "streams.h"

using namespace simt;

namespace {
void used(const StridedBytes& bytes, bool writes, const char* call, const Moment& when) {
    stream_uses.touched(bytes, writes, call, when);
    host_uses.copied(bytes, writes, call, when);
}

enum class Place { host, device, both, invalid };

// Where a range lies; `invalid` when it runs past its allocation or into memory that is not allocated.
Place place_of_range(const void* pointer, size_t bytes) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    if (!pointer) return Place::invalid;
    if (arena.region(address) >= 0) {
        auto allocation = find_allocation(address);
        if (!allocation || allocation->heap) return Place::invalid;  // of kernels: no pointer for the runtime API
        if (bytes > allocation->base + allocation->bytes - address) return Place::invalid;
        return allocation->managed ? Place::both : Place::device;
    }
    Symbol symbol;
    if (find_symbol(pointer, &symbol)) return bytes <= symbol.bytes_to_end ? Place::device : Place::invalid;
    return is_registered_host_memory(address, bytes) ? Place::both : Place::host;
}

// From the first byte of `height` rows, at least one, to the last; more than there is memory rather than a number that wrapped.
size_t bytes_of_rows(size_t width, size_t height, size_t pitch) {
    size_t bytes;
    bool wraps = __builtin_mul_overflow(height - 1, pitch, &bytes) || __builtin_add_overflow(bytes, width, &bytes);
    return wraps ? SIZE_MAX : bytes;
}

// With unified addressing CUDA knows where a pointer leads. It refuses pageable host memory that is named as the device side;
// what is named as the host side may lie anywhere.
bool fits(Place place, bool named_device) { return place != Place::invalid && !(named_device && place == Place::host); }

bool is_device(Place place, bool named_device) { return place == Place::device || (place == Place::both && named_device); }

struct Direction {
    const char* name;
    bool to_device, from_device;
    int error;
};

Direction direction(Place to, Place from, cudaMemcpyKind kind) {
    static const char* names[] = {"h2h", "h2d", "d2h", "d2d"};
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return {"h2h", false, false, cudaErrorInvalidMemcpyDirection};
    bool to_named = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_named = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool to_device = is_device(to, to_named), from_device = is_device(from, from_named);
    bool valid = fits(to, to_named) && fits(from, from_named);
    return {names[from_device * 2 + to_device], to_device, from_device, valid ? cudaSuccess : cudaErrorInvalidValue};
}

// PCIe 5 x16 and HBM3e, so that copies have a plausible duration on the simulated clock.
double copy_duration(size_t bytes, bool within_device) { return 1.0 + double(bytes) / (within_device ? 2.4e6 : 5.0e4); }

void move(void* to, const void* from, size_t bytes) {
    auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
    bool marked = arena.region(target) >= 0;
    if (marked && arena.region(source) >= 0) simt_copy_marks(to, from, bytes);
    else if (marked) simt_mark_written(to, bytes, SIMT_COPY);
    memmove(to, from, bytes);
}

bool copies_are_watched = false;

// What crosses between host and device, and whether kernels made it. Each byte is looked at, which takes longer than the copy.
void witness(ApiCall& record, const void* from, size_t bytes) {
    if (!copies_are_watched) return;
    record.content = digest(from, bytes, record.content);
    if (arena.region(reinterpret_cast<uintptr_t>(from)) < 0) return;
    uint64_t counts[SIMT_WRITERS];
    simt_writers(from, bytes, counts);
    record.by_kernel += counts[SIMT_BY_KERNEL];
}

struct Copy {
    const char* call;
    void* to;
    const void* from;
    size_t width, height = 1, to_pitch = 0, from_pitch = 0;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    cudaStream_t stream = nullptr;
    bool waits = true;  // the synchronous forms wait for the device
};

StridedBytes rows(const void* begin, size_t width, size_t height, size_t pitch) {
    return {reinterpret_cast<uintptr_t>(begin), width, {{height, pitch}}};
}

// What the copy is as a node of a graph.
cudaMemcpy3DParms as_parameters(const Copy& copy) {
    cudaMemcpy3DParms parameters = {};
    size_t to_pitch = copy.height > 1 ? copy.to_pitch : copy.width, from_pitch = copy.height > 1 ? copy.from_pitch : copy.width;
    parameters.srcPtr = {const_cast<void*>(copy.from), from_pitch, copy.width, copy.height};
    parameters.dstPtr = {copy.to, to_pitch, copy.width, copy.height};
    parameters.extent = {copy.width, copy.height, 1};
    parameters.kind = copy.kind;
    return parameters;
}

Direction direction_of(const Copy& copy) {
    Place to = place_of_range(copy.to, bytes_of_rows(copy.width, copy.height, copy.to_pitch));
    Place from = place_of_range(copy.from, bytes_of_rows(copy.width, copy.height, copy.from_pitch));
    return direction(to, from, copy.kind);
}

cudaError_t run(const Copy& copy) {
    ApiCall record{.call = copy.call, .kind = "h2h", .bytes = copy.width * copy.height, .stream = copy.stream};
    if (int error = sticky_error()) return answer(record, error);
    Fate fate = copy.waits ? Fate{refuse_synchronous_call()} : fate_of_work(copy.stream);
    if (fate.error) return answer(record, fate.error);
    Stream* stream = find_stream(copy.stream);
    if (!stream) return answer(record, cudaErrorInvalidResourceHandle);
    if (copy.width == 0 || copy.height == 0) return answer(record, cudaSuccess);
    Direction way = direction_of(copy);
    record.kind = way.name;
    if (way.error) return answer(record, way.error);
    if (fate.captured) return failed(capture(*fate.captured, as_parameters(copy)));
    OpenShield open;
    for (size_t row = 0; row < copy.height; ++row) {
        const char* from_row = static_cast<const char*>(copy.from) + row * copy.from_pitch;
        if (way.to_device != way.from_device) witness(record, from_row, copy.width);
        move(static_cast<char*>(copy.to) + row * copy.to_pitch, from_row, copy.width);
    }
    record.work = advance_stream(copy.stream, copy_duration(record.bytes, way.to_device && way.from_device));
    const Moment& when = record.work.moment;
    used(rows(copy.from, copy.width, copy.height, copy.from_pitch), false, copy.call, when);
    used(rows(copy.to, copy.width, copy.height, copy.to_pitch), true, copy.call, when);
    if (copy.waits && !(way.to_device && way.from_device)) host_waits_for(*stream);
    return answer(record, cudaSuccess);
}

struct Fill {
    const char* call;
    cudaMemsetParams what;  // width in elements
    cudaStream_t stream = nullptr;
    bool is_synchronous = false;
};

void fill_row(char* begin, const cudaMemsetParams& what) {
    if (what.elementSize == 1) memset(begin, int(what.value), what.width);
    else
        for (size_t i = 0; i < what.width; ++i) memcpy(begin + i * what.elementSize, &what.value, what.elementSize);
}

cudaError_t run(const Fill& fill) {
    const auto& [call, what, stream, is_synchronous] = fill;
    const size_t width = what.width * what.elementSize, height = what.height, pitch = what.pitch;
    void* const pointer = what.dst;
    ApiCall record{.call = call, .kind = "memset", .bytes = width * height, .stream = stream};
    if (int error = sticky_error()) return answer(record, error);
    Fate fate = is_synchronous ? Fate{refuse_synchronous_call()} : fate_of_work(stream);
    if (fate.error) return answer(record, fate.error);
    if (!find_stream(stream)) return answer(record, cudaErrorInvalidResourceHandle);
    if (width == 0 || height == 0) return answer(record, cudaSuccess);
    Place place = place_of_range(pointer, bytes_of_rows(width, height, pitch));
    if (place != Place::device && place != Place::both) return answer(record, cudaErrorInvalidValue);
    if (fate.captured) return failed(capture(*fate.captured, what));
    OpenShield open;
    for (size_t row = 0; row < height; ++row) {
        char* begin = static_cast<char*>(pointer) + row * pitch;
        fill_row(begin, what);
        simt_mark_written(begin, width, SIMT_MEMSET);
    }
    record.work = advance_stream(stream, copy_duration(record.bytes, true));
    stream_uses.touched(rows(pointer, width, height, pitch), true, call, record.work.moment);
    return answer(record, cudaSuccess);
}

cudaError_t run_symbol(Copy copy, const void* symbol, size_t offset, bool to_symbol) {
    Symbol found;
    int error = cudaSuccess;
    if (!find_symbol(symbol, &found)) error = cudaErrorInvalidSymbol;
    else if (offset > found.bytes_to_end || copy.width > found.bytes_to_end - offset) error = cudaErrorInvalidValue;
    if (error) return answer({.call = copy.call, .kind = to_symbol ? "h2d" : "d2h", .bytes = copy.width}, error);
    const void* place = static_cast<const char*>(symbol) + offset;
    if (to_symbol) copy.to = const_cast<void*>(place);
    else copy.from = place;
    return run(copy);
}

cudaError_t fill(const char* call, void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream,
                 bool is_synchronous) {
    return run(Fill{call, {pointer, pitch, unsigned(value), 1, width, height}, stream, is_synchronous});
}
}  // namespace

namespace simt {

int refuse_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    if (width == 0 || height == 0) return cudaSuccess;
    return direction_of({"", to, from, width, height, to_pitch, from_pitch, kind, nullptr, false}).error;
}

int refuse_memset(const cudaMemsetParams& memset) {
    size_t width, element = memset.elementSize;
    if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(memset.width, element, &width)) return cudaErrorInvalidValue;
    if (width == 0 || memset.height == 0) return cudaErrorInvalidValue;
    if (memset.height > 1 && width > memset.pitch) return cudaErrorInvalidPitchValue;
    Place place = place_of_range(memset.dst, bytes_of_rows(width, memset.height, memset.pitch));
    return place == Place::device || place == Place::both ? cudaSuccess : cudaErrorInvalidValue;
}

int fill_elements(const cudaMemsetParams& memset, cudaStream_t stream) {
    if (int error = refuse_memset(memset)) return set_error(error);
    return run(Fill{"cudaMemsetAsync", memset, stream});
}

cudaError_t copy_memory(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return run({.call = call, .to = to, .from = from, .width = bytes, .kind = kind});
}

cudaError_t copy_memory_async(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    return run({.call = call, .to = to, .from = from, .width = bytes, .kind = kind, .stream = stream, .waits = false});
}

cudaError_t fill_memory(const char* call, const cudaMemsetParams& memset, cudaStream_t stream, bool is_synchronous) {
    return run(Fill{call, memset, stream, is_synchronous});
}

cudaMemcpy3DParms copy_of_bytes(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return as_parameters({.call = "", .to = to, .from = from, .width = bytes, .kind = kind});
}

}  // namespace simt

extern "C" {
void simt_watch_copies(int on) { copies_are_watched = on != 0; }

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return run({.call = "cudaMemcpy", .to = to, .from = from, .width = bytes, .kind = kind});
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return run(
        {.call = "cudaMemcpyAsync", .to = to, .from = from, .width = bytes, .kind = kind, .stream = stream, .waits = false});
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    if (width > to_pitch || width > from_pitch) return failed(cudaErrorInvalidPitchValue);
    return run({"cudaMemcpy2DAsync", to, from, width, height, to_pitch, from_pitch, kind, stream, false});
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return failed(cudaErrorInvalidPitchValue);
    return run({"cudaMemcpy2D", to, from, width, height, to_pitch, from_pitch, kind, nullptr, true});
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    if (!is_device(to_device) || !is_device(from_device)) return failed(cudaErrorInvalidDevice);
    return run({.call = "cudaMemcpyPeer", .to = to, .from = from, .width = bytes, .kind = cudaMemcpyDeviceToDevice});
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream) {
    if (!is_device(to_device) || !is_device(from_device)) return failed(cudaErrorInvalidDevice);
    return run({.call = "cudaMemcpyPeerAsync",
                .to = to,
                .from = from,
                .width = bytes,
                .kind = cudaMemcpyDeviceToDevice,
                .stream = stream,
                .waits = false});
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return run_symbol({.call = "cudaMemcpyToSymbol", .to = nullptr, .from = from, .width = bytes, .kind = kind}, symbol, offset,
                      true);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return run_symbol({.call = "cudaMemcpyFromSymbol", .to = to, .from = nullptr, .width = bytes, .kind = kind}, symbol, offset,
                      false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream) {
    return run_symbol({.call = "cudaMemcpyToSymbolAsync",
                       .to = nullptr,
                       .from = from,
                       .width = bytes,
                       .kind = kind,
                       .stream = stream,
                       .waits = false},
                      symbol, offset, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return run_symbol({.call = "cudaMemcpyFromSymbolAsync",
                       .to = to,
                       .from = nullptr,
                       .width = bytes,
                       .kind = kind,
                       .stream = stream,
                       .waits = false},
                      symbol, offset, false);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
    Symbol found;
    if (!pointer || !find_symbol(symbol, &found)) return failed(cudaErrorInvalidSymbol);
    *pointer = const_cast<void*>(symbol);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    Symbol found;
    if (!bytes || !find_symbol(symbol, &found)) return failed(cudaErrorInvalidSymbol);
    return failed(cudaErrorNotSupported);  // the typed overload in cuda_runtime.h knows it; an address does not
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
    return fill("cudaMemset", pointer, 0, value, bytes, 1, nullptr, true);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
    return fill("cudaMemsetAsync", pointer, 0, value, bytes, 1, stream, false);
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    if (width > pitch) return failed(cudaErrorInvalidPitchValue);
    return fill("cudaMemset2DAsync", pointer, pitch, value, width, height, stream, false);
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return failed(cudaErrorInvalidPitchValue);
    return fill("cudaMemset2D", pointer, pitch, value, width, height, nullptr, true);
}
}
