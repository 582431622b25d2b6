// thrust's CUDA system on the simulated device: each algorithm of it hands thrust's sequential one to a launch.
//
// CCCL's own CUDA system is made of CUB's device-wide kernels. This header has the algorithms by name, thrust_copies.h the
// copies; the rest of thrust (vectors, iterators, policies, memory) is CCCL's.
#pragma once
#include <thrust/system/cpp/detail/execution_policy.h>

#include "simt/thrust_launch.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

// Sequential, with temporary buffers in device memory.
struct one_thread : thrust::cpp::execution_policy<one_thread> {};

SIMT_HOST inline void* malloc(one_thread&, std::size_t bytes) { return simt_allocate(simt_get_device(), bytes ? bytes : 1); }
template <class Pointer>
SIMT_HOST void free(one_thread&, Pointer pointer) {
    if constexpr (std::is_pointer_v<Pointer>) simt_release(pointer);
    else simt_release(pointer.get());
}

// A policy's stream; what has none of its own runs on the default stream.
template <class Derived>
cudaStream_t stream_of(execution_policy<Derived>& policy) {
    if constexpr (requires { get_stream(derived_cast(policy)); }) return get_stream(derived_cast(policy));
    else return nullptr;
}

// Arguments are taken by value, as the parameters of a kernel are. The call finds thrust's functions by its first argument:
// when this header is read, none of them is declared yet.
#define SIMT_THRUST(NAME)                                                  \
    template <class Derived, class... Arguments>                           \
    auto NAME(execution_policy<Derived>& policy, Arguments... arguments) { \
        auto call = [=]() mutable {                                        \
            one_thread thread;                                             \
            return NAME(thread, arguments...);                             \
        };                                                                 \
        return simt::on_device("thrust::" #NAME, stream_of(policy), call); \
    }
#include "simt/thrust_algorithm_list.inl"
#undef SIMT_THRUST

}  // namespace cuda_cub
THRUST_NAMESPACE_END
