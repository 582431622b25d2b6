// Two C functions for ctypes. No header of PyTorch or Python: the library fits any version of both.
#include <cstdint>
#include <cuda_runtime.h>

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream);

extern "C" cudaError_t axpy_float(float alpha, const float* x, const float* y, float* out,
                                  int64_t n, cudaStream_t stream) {
    launch_axpy(alpha, x, y, out, n, stream);
    return cudaGetLastError();  // about the launch; the kernel itself may not have begun
}

extern "C" cudaError_t axpy_double(double alpha, const double* x, const double* y, double* out,
                                   int64_t n, cudaStream_t stream) {
    launch_axpy(alpha, x, y, out, n, stream);
    return cudaGetLastError();  // about the launch; the kernel itself may not have begun
}
