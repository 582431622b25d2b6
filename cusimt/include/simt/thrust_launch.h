// How one of thrust's algorithms runs on the simulated device: in a launch of one thread, which calls thrust's own sequential
// algorithm. What it reads and writes is checked like any kernel's.
#pragma once
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <type_traits>

#include "simt/device_wide.h"

#pragma GCC visibility push(hidden)
namespace simt {

SIMT_HOST inline void copy_out(void* to, const void* from, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
}

// What a launch gives back, without a constructor before there is a value.
template <class Result>
union outcome {
    Result value;
    outcome() {}
    ~outcome() {}
};

inline void throw_error(cudaError_t error, const char* algorithm) {
    if (error != cudaSuccess) throw thrust::system_error(error, thrust::cuda_category(), algorithm);
}

template <class Body, class Result>
struct answering_thread {
    Body body;
    Result* to;
    SIMT_HOST void operator()() {
        Result value = body();
        copy_out(to, &value, sizeof value);
    }
};

// Calls `body()` on the device and returns what it returns; where that is the device already, calls it there.
// Raises thrust::system_error, as thrust does.
template <class Body>
auto on_device(const char* name, cudaStream_t stream, Body body) {
    typedef decltype(body()) Result;
    if (simt_on_device()) return body();
    site nowhere{name, "", 0};
    configuration one(dim3(1), dim3(1), 0, stream);
    const argument_list of_caller{nullptr, 0, true};
    if constexpr (std::is_void_v<Result>) {
        device_thread<Body> thread{body};
        throw_error(run_grid(thread, nowhere, one, nullptr, 0, of_caller), name);
    } else {
        outcome<Result> result;
        answering_thread<Body, Result> thread{body, &result.value};
        throw_error(run_grid(thread, nowhere, one, nullptr, 0, of_caller), name);
        return Result(result.value);
    }
}

}  // namespace simt
#pragma GCC visibility pop
