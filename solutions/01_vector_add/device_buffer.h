// Given: device memory that frees itself, even when an exception leaves the scope.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

// Turns an error code of the CUDA runtime into an exception, which pybind11 passes on to Python as a
// RuntimeError.
inline void check_cuda(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
    }
}

// `count` elements of T in device memory; nothing is allocated for a count of 0.
template <typename T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(std::size_t count) : bytes_(count * sizeof(T)) {
        if (bytes_ != 0)
            check_cuda(cudaMalloc(reinterpret_cast<void**>(&pointer_), bytes_), "cudaMalloc");
    }
    ~DeviceBuffer() {
        cudaFree(pointer_);
    }  // cudaFree(nullptr) does nothing; a destructor must not throw
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    T* get() const { return pointer_; }
    std::size_t bytes() const { return bytes_; }

private:
    T* pointer_ = nullptr;
    std::size_t bytes_;
};
