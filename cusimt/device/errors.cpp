// The exceptions of C10_CUDA_CHECK, AT_CUDA_CHECK and the stable ABI's STD_CUDA_CHECK.
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAMiscFunctions.h>

#include <torch/headeronly/version.h>

#include <mutex>
#include <string>

// Since 2.14 the check also receives what CUDA logged while the call ran; the simulated runtime logs nothing.
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 14
#define SIMT_ERROR_LOG_PARAMETER , CUDAErrorLogCapture* /*error_log*/
#else
#define SIMT_ERROR_LOG_PARAMETER
#endif

namespace c10::cuda {

std::string get_cuda_error_help(cudaError_t error) noexcept {
    if (error == cudaErrorInvalidDevice) {
        return "\nGPU device may be out of range, do you have enough GPUs?";
    }
    return std::string("\nSearch for `") + cudaGetErrorName(error) +
           "' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.";
}

// PyTorch warns here that kernels report errors late. Simulated launches are synchronous: the error is where it says.
const char* get_cuda_check_suffix() noexcept { return ""; }

const char* get_cuda_async_error_suffix(cudaError_t /*error*/) noexcept { return ""; }

std::mutex* getFreeMutex() {
    static std::mutex mutex;
    return &mutex;
}

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 14
CUDAErrorLogCapture::CUDAErrorLogCapture() noexcept = default;

std::string CUDAErrorLogCapture::get_error_log_suffix() noexcept { return ""; }
#endif

void c10_cuda_check_implementation(const int32_t err, const char* filename, const char* function_name,
                                   const uint32_t line_number,
                                   const bool /*include_device_assertions*/ SIMT_ERROR_LOG_PARAMETER) {
    if (C10_LIKELY(err == cudaSuccess)) {
        return;
    }
    (void)cudaGetLastError();
    const auto error = static_cast<cudaError_t>(err);
    throw c10::AcceleratorError({function_name, filename, line_number}, err,
                                std::string("CUDA error: ") + cudaGetErrorString(error) + get_cuda_error_help(error));
}

}  // namespace c10::cuda
