// Device-wide algorithms of libraries: one simulated thread does them from the first item to the last, in a launch of its own,
// so that what they read and write is checked like any kernel's. Their speed is not a GPU's; their results are.
#pragma once
#include <type_traits>

#include "simt/launch.h"

#pragma GCC visibility push(hidden)
namespace simt {

constexpr size_t least_temporary = 256;  // libraries ask for some temporary storage even where they need none

// Of an algorithm that passes over its items once: a GPU keeps a few bytes for each tile of them.
template <class N>
constexpr size_t for_tiles_of(N items) {
    return least_temporary + (items > 0 ? static_cast<size_t>(items) / 1024 * 8 : 0);
}

// Where a call stands in the source, as the value of a default argument. (clang 14 has no std::source_location.)
struct caller {
    const char* file;
    int line;
    caller(const char* file_ = __builtin_FILE(), int line_ = __builtin_LINE()) : file(file_), line(line_) {}
    // `debug_synchronous`, the last argument that CUB's functions took before CUDA 13.
    caller(bool, const char* file_ = __builtin_FILE(), int line_ = __builtin_LINE()) : file(file_), line(line_) {}
};

template <class Body>
struct device_thread {  // the launch's parameter space
    Body body;
    SIMT_HOST void operator()() { body(); }
};

// `name` is what the launch is called in findings and records. Returns what a launch returns.
template <class Body>
cudaError_t run_device_wide(const char* name, cudaStream_t stream, const caller& where, Body body) {
    device_thread<Body> thread{body};
    return run_grid(thread, site{name, where.file, where.line}, configuration(dim3(1), dim3(1), 0, stream), nullptr, 0,
                    argument_list{});
}

// The same with CUB's protocol for temporary storage: a first call with none gets told how much is needed.
template <class Body>
cudaError_t with_temporary(const char* name, void* temporary, size_t& bytes, size_t needed, cudaStream_t stream,
                           const caller& where, Body body) {
    if (needed < least_temporary) needed = least_temporary;
    if (temporary == nullptr) {
        bytes = needed;
        return cudaSuccess;
    }
    if (bytes < needed) return cudaError_t(simt_refuse_temporary(name, bytes, needed, where.file, where.line));
    return run_device_wide(name, stream, where, [temporary, needed, body]() mutable {
        static_cast<volatile char*>(temporary)[0] = 0;  // a GPU uses it: it must be there, all of it
        static_cast<volatile char*>(temporary)[needed - 1] = 0;
        body();
    });
}

}  // namespace simt
#pragma GCC visibility pop

// The last parameters of every device-wide function.
#define SIMT_DEVICE_WIDE_CALL cudaStream_t stream = nullptr, simt::caller where = simt::caller()
