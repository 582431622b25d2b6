// What kernel.cu offers to binding.cpp. Pointers are device memory, n elements each.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

constexpr int kThreadsPerBlock = 256;

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream);
