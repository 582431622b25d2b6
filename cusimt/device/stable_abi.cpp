// The C functions for CUDA that headers under torch/csrc/stable and torch/csrc/inductor/aoti_torch declare and that
// only libtorch_cuda defines. Signatures as in those headers; they are part of PyTorch's stable ABI.
#include "allocator.h"

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>

namespace {

constexpr int32_t kSuccess = 0;
constexpr int32_t kFailure = 1;

template <typename Body>
int32_t without_exceptions(Body body) {
    try {
        body();
        return kSuccess;
    } catch (const std::exception& error) {
        std::cerr << "Error: " << error.what() << '\n';
        return kFailure;
    }
}

c10::DeviceIndex narrow(int32_t device) { return static_cast<c10::DeviceIndex>(device); }

c10::cuda::CUDAStream stream_at(void* stream, int32_t device) {
    return c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(stream), narrow(device));
}

}  // namespace

extern "C" {

// ---- guards ----
int32_t aoti_torch_create_cuda_guard(int32_t device_index, c10::cuda::CUDAGuard** ret_guard) {
    return without_exceptions([&] { *ret_guard = new c10::cuda::CUDAGuard(narrow(device_index)); });
}

int32_t aoti_torch_delete_cuda_guard(c10::cuda::CUDAGuard* guard) {
    return without_exceptions([&] { delete guard; });
}

int32_t aoti_torch_cuda_guard_set_index(c10::cuda::CUDAGuard* guard, int32_t device_index) {
    return without_exceptions([&] { guard->set_index(narrow(device_index)); });
}

int32_t aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index, c10::cuda::CUDAStreamGuard** ret_guard) {
    return without_exceptions([&] { *ret_guard = new c10::cuda::CUDAStreamGuard(stream_at(stream, device_index)); });
}

int32_t aoti_torch_delete_cuda_stream_guard(c10::cuda::CUDAStreamGuard* guard) {
    return without_exceptions([&] { delete guard; });
}

// ---- streams ----
int32_t aoti_torch_get_current_cuda_stream(int32_t device_index, void** ret_stream) {
    return without_exceptions([&] { *ret_stream = c10::cuda::getCurrentCUDAStream(narrow(device_index)).stream(); });
}

int32_t torch_set_current_cuda_stream(void* stream, int32_t device_index) {
    return without_exceptions([&] { c10::cuda::setCurrentCUDAStream(stream_at(stream, device_index)); });
}

int32_t torch_get_cuda_stream_from_pool(bool high_priority, int32_t device_index, void** ret_stream) {
    return without_exceptions(
        [&] { *ret_stream = c10::cuda::getStreamFromPool(high_priority, narrow(device_index)).stream(); });
}

int32_t torch_cuda_stream_synchronize(void* stream, int32_t device_index) {
    return without_exceptions([&] { stream_at(stream, device_index).synchronize(); });
}

// ---- memory and libraries ----
int32_t aoti_torch_cuda_caching_allocator_raw_alloc(uint64_t nbytes, void** ret_ptr) {
    return without_exceptions([&] { *ret_ptr = cusimt::device::arena().raw_alloc(nbytes); });
}

int32_t aoti_torch_cuda_caching_allocator_raw_delete(void* ptr) {
    return without_exceptions([&] { cusimt::device::arena().raw_delete(ptr); });
}

int32_t torch_get_current_cuda_blas_handle(void** ret_handle) {
    return without_exceptions([&] { *ret_handle = at::cuda::getCurrentCUDABlasHandle(); });
}

// ---- errors: the message is returned, for the caller to free, because no exception may cross this boundary ----
int32_t torch_c10_cuda_check_msg(int32_t err, const char* filename, const char* function_name, uint32_t line_number,
                                 bool include_device_assertions, char** error_msg) {
    *error_msg = nullptr;
    try {
        c10::cuda::c10_cuda_check_implementation(err, filename, function_name, line_number, include_device_assertions);
    } catch (const c10::Error& error) {
        *error_msg = strdup(error.what_without_backtrace());
    }
    return kSuccess;
}

void torch_c10_cuda_free_error_msg(char* error_msg) { std::free(error_msg); }

}  // extern "C"
