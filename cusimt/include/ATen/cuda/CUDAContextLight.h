// Facts about the current device, and handles of libraries. PyTorch's own header also includes cuBLASLt and cuSOLVER:
// their handle types are declared here, and asking for a handle raises an error that says so.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <cstddef>
#include <cstdint>

typedef struct cublasLtContext* cublasLtHandle_t;
typedef struct cusolverDnContext* cusolverDnHandle_t;

namespace at::cuda {

inline int64_t getNumGPUs() { return c10::cuda::device_count(); }

inline bool is_available() { return c10::cuda::device_count() > 0; }

TORCH_CUDA_CPP_API cudaDeviceProp* getCurrentDeviceProperties();
TORCH_CUDA_CPP_API cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
TORCH_CUDA_CPP_API int warp_size();
TORCH_CUDA_CPP_API bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer_device);
TORCH_CUDA_CPP_API c10::Allocator* getCUDADeviceAllocator();

TORCH_CUDA_CPP_API cublasHandle_t getCurrentCUDABlasHandle(bool setup = true);
TORCH_CUDA_CPP_API cublasLtHandle_t getCurrentCUDABlasLtHandle();
TORCH_CUDA_CPP_API cusparseHandle_t getCurrentCUDASparseHandle();
TORCH_CUDA_CPP_API cusolverDnHandle_t getCurrentCUDASolverDnHandle();

}  // namespace at::cuda
