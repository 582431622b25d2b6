// What C10_CUDA_CHECK, AT_CUDA_CHECK and the stable ABI's STD_CUDA_CHECK raise.
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAMiscFunctions.h>

#include <mutex>
#include <string>

namespace c10::cuda {

std::string get_cuda_error_help(cudaError_t error) noexcept {
  if (error == cudaErrorInvalidDevice) {
    return "\nGPU device may be out of range, do you have enough GPUs?";
  }
  return std::string("\nSearch for `") + cudaGetErrorName(error) +
      "' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.";
}

// PyTorch warns here that kernels report errors late. Simulated launches are synchronous: the error is where it says.
const char* get_cuda_check_suffix() noexcept {
  return "";
}

const char* get_cuda_async_error_suffix(cudaError_t /*error*/) noexcept {
  return "";
}

std::mutex* getFreeMutex() {
  static std::mutex mutex;
  return &mutex;
}

void c10_cuda_check_implementation(const int32_t err, const char* filename, const char* function_name,
                                   const uint32_t line_number, const bool /*include_device_assertions*/) {
  if (C10_LIKELY(err == cudaSuccess)) {
    return;
  }
  (void)cudaGetLastError();
  const auto error = static_cast<cudaError_t>(err);
  throw c10::AcceleratorError({function_name, filename, line_number}, err,
                              std::string("CUDA error: ") + cudaGetErrorString(error) + get_cuda_error_help(error));
}

}  // namespace c10::cuda
