// ATen/cuda/CUDAContext.h: properties of the devices; handles of libraries, most of which are not simulated.
#include "allocator.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/irange.h>

#include <vector>

namespace at::cuda {
namespace {

[[noreturn]] void refuse_handle(const char* library) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, library, " has no simulation, so there is no handle for it. ",
                                "On the simulated device library calls go through PyTorch operators such as at::mm. ",
                                "Run this on a machine with a GPU, or call the operator instead.");
}

}  // namespace

cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
    static auto* all = [] {
        auto* properties = new std::vector<cudaDeviceProp>(c10::cuda::device_count());
        for (const auto index : c10::irange(properties->size())) {
            C10_CUDA_CHECK(cudaGetDeviceProperties(&(*properties)[index], static_cast<int>(index)));
        }
        return properties;
    }();
    const auto index = device == -1 ? c10::cuda::current_device() : device;
    TORCH_CHECK(index >= 0 && static_cast<size_t>(index) < all->size(), "device=", static_cast<int>(index),
                ", num_gpus=", all->size());
    return &(*all)[index];
}

cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(c10::cuda::current_device()); }

int warp_size() { return getCurrentDeviceProperties()->warpSize; }

bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer_device) {
    return getDeviceProperties(device) != getDeviceProperties(peer_device);
}

c10::Allocator* getCUDADeviceAllocator() { return &cusimt::device::arena(); }

// One handle per device and thread, as in PyTorch; it works on the stream that is current when it is requested.
cublasHandle_t getCurrentCUDABlasHandle(bool /*setup*/) {
    static thread_local std::vector<cublasHandle_t> handles(c10::cuda::device_count());
    const auto device = static_cast<size_t>(c10::cuda::current_device());
    cublasHandle_t& handle = handles[device];
    if (!handle) handle = static_cast<cublasHandle_t>(simt_blas_handle());
    TORCH_CHECK(handle, "no memory for a cuBLAS handle");
    cublasSetStream(handle, c10::cuda::getCurrentCUDAStream().stream());
    const bool allows_tf32 =
        at::globalContext().float32Precision(at::Float32Backend::CUDA, at::Float32Op::MATMUL) == at::Float32Precision::TF32;
    cublasSetMathMode(handle, allows_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
    return handle;
}

// As in PyTorch, its cuBLAS handle: a product of cuBLASLt is given a stream of its own.
cublasLtHandle_t getCurrentCUDABlasLtHandle() { return reinterpret_cast<cublasLtHandle_t>(getCurrentCUDABlasHandle()); }

cusparseHandle_t getCurrentCUDASparseHandle() {
    static thread_local std::vector<cusparseHandle_t> handles(c10::cuda::device_count());
    cusparseHandle_t& handle = handles[static_cast<size_t>(c10::cuda::current_device())];
    if (!handle) handle = static_cast<cusparseHandle_t>(simt_sparse_handle());
    TORCH_CHECK(handle, "no memory for a cuSPARSE handle");
    cusparseSetStream(handle, c10::cuda::getCurrentCUDAStream().stream());
    return handle;
}

cusolverDnHandle_t getCurrentCUDASolverDnHandle() { refuse_handle("cuSOLVER"); }

}  // namespace at::cuda
