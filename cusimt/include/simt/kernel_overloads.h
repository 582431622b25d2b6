// The runtime API's functions that take a kernel: attributes, and launches without `<<<>>>`.
#pragma once
#include <stddef.h>
#include <utility>

#include "simt/launch.h"

#pragma GCC visibility push(hidden)
namespace simt {

template <class Function>
const void* address_of(Function* function) {
    return (const void*)function;  // a function pointer: no other cast takes it there
}

template <class... Parameters, size_t... I>
cudaError_t launch_packed(void (*function)(Parameters...), const site& where, const configuration& shape, void** packed,
                          int cooperative, std::index_sequence<I...>) {
    auto take = [](auto function_, auto... values) { return [=]() SIMT_HOST { function_(values...); }; };
    auto thread = take(function, *static_cast<Parameters*>(packed[I])...);
    return run_grid(thread, where, shape, address_of(function), cooperative,
                    arguments_of<decltype(thread), void (*)(Parameters...), Parameters...>());
}

template <class... Parameters>
cudaError_t launch_untyped(const simt_untyped_launch* untyped) {
    return launch_packed((void (*)(Parameters...))untyped->function, site{untyped->kernel, untyped->file, untyped->line},
                         configuration(untyped->grid, untyped->block, untyped->shared_bytes, untyped->stream),
                         untyped->arguments, untyped->cooperative, std::index_sequence_for<Parameters...>());
}

// `(void*)kernel` is for the translator SIMT_ANNOUNCED(kernel) behind the cast: later only the address will be known.
template <class... Parameters>
auto announced(void (*function)(Parameters...), site where) -> void (*)(Parameters...) {
    simt_announce_kernel(address_of(function), where.kernel, where.file, where.line, &launch_untyped<Parameters...>);
    return function;
}

}  // namespace simt
#define SIMT_ANNOUNCED(...) ::simt::announced(__VA_ARGS__, ::simt::site{#__VA_ARGS__, __FILE__, __LINE__})

// The text of the whole call comes with it: it starts with the kernel's.
template <class Function>
cudaError_t simt_set_function_attribute(const char* text, Function* function, cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) simt::note_function(text, simt::address_of(function), value);
    return (cudaFuncSetAttribute)(simt::address_of(function), attribute, value);
}
#define cudaFuncSetAttribute(...) simt_set_function_attribute(#__VA_ARGS__, __VA_ARGS__)

template <class... Parameters>
cudaError_t simt_launch_packed(int cooperative, const char* text, const char* file, int line, void (*function)(Parameters...),
                               dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                               cudaStream_t stream = nullptr) {
    char name[sizeof simt::function_note::text];  // the runtime copies it during the launch
    simt::normalise_function_text(text, name, sizeof name);
    return simt::launch_packed(function, simt::site{name, file, line}, simt::configuration(grid, block, shared_bytes, stream),
                               arguments, cooperative, std::index_sequence_for<Parameters...>());
}
inline cudaError_t simt_launch_packed(int cooperative, const char*, const char* file, int line, const void* function, dim3 grid,
                                      dim3 block, void** arguments, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    simt_untyped_launch launch = {function, nullptr, file, line, cooperative, grid, block, arguments, shared_bytes, stream};
    return simt_launch_untyped(&launch);
}
#define cudaLaunchKernel(...) simt_launch_packed(0, #__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__)
#define cudaLaunchCooperativeKernel(...) simt_launch_packed(1, #__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__)

template <class Function>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Function* function) {
    return cudaFuncGetAttributes(attributes, simt::address_of(function));
}
template <class Function>
cudaError_t cudaFuncSetCacheConfig(Function* function, cudaFuncCache preference) {
    return cudaFuncSetCacheConfig(simt::address_of(function), preference);
}
template <class Function>
cudaError_t cudaFuncSetSharedMemConfig(Function* function, cudaSharedMemConfig banks) {
    return cudaFuncSetSharedMemConfig(simt::address_of(function), banks);
}
#pragma GCC visibility pop
