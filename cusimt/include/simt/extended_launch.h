// cudaLaunchKernelEx: a launch with attributes. A cooperative launch is one; what concerns scheduling, caches or the overlap of
// launches changes no result and is ignored; clusters and events inside of a launch are refused (cudaErrorNotSupported).
#pragma once
#include "simt/kernel_overloads.h"

#pragma GCC visibility push(hidden)
template <class... Parameters, class... Arguments>
cudaError_t simt_launch_extended(const char* text, const char* file, int line, const cudaLaunchConfig_t* config,
                                 void (*function)(Parameters...), Arguments&&... arguments) {
    int cooperative = 0;
    if (cudaError_t refused = simt_launch_attributes(config, &cooperative)) return refused;
    char name[sizeof simt::function_note::text];
    simt::normalise_function_text(strchr(text, ',') ? strchr(text, ',') + 1 : text, name, sizeof name);
    simt::configuration shape(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    auto take = [](auto function_, auto... values) { return [=]() SIMT_HOST { function_(values...); }; };
    auto thread = take(function, static_cast<Parameters>(arguments)...);
    return simt::run_grid(thread, simt::site{name, file, line}, shape, simt::address_of(function), cooperative,
                          simt::arguments_of<decltype(thread), void (*)(Parameters...), Parameters...>());
}
#define cudaLaunchKernelEx(...) simt_launch_extended(#__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__)

template <class... Parameters>
cudaError_t simt_launch_extended_packed(const char* file, int line, const cudaLaunchConfig_t* config,
                                        void (*function)(Parameters...), void** arguments) {
    int cooperative = 0;
    if (cudaError_t refused = simt_launch_attributes(config, &cooperative)) return refused;
    simt::configuration shape(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    return simt::launch_packed(function, simt::site{"cudaLaunchKernelExC", file, line}, shape, arguments, cooperative,
                               std::index_sequence_for<Parameters...>());
}
inline cudaError_t simt_launch_extended_packed(const char*, int, const cudaLaunchConfig_t* config, const void* function,
                                               void** arguments) {
    return cudaLaunchKernelExC(config, function, arguments);
}
#define cudaLaunchKernelExC(...) simt_launch_extended_packed(__FILE__, __LINE__, __VA_ARGS__)
#pragma GCC visibility pop

// Programmatic dependent launch: launches do not overlap here, so earlier ones have completed and their writes are visible.
SIMT_INLINE void cudaGridDependencySynchronize() {}
SIMT_INLINE void cudaTriggerProgrammaticLaunchCompletion() {}
