// The launchers that binding.cpp calls and kernel.cu defines, for float and double. Every pointer is
// to dense, row-major device memory of n elements unless a comment says otherwise. A launch goes to
// `stream`.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_scale(const T* x, T factor, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_mix(const T* x, T weight, const T* y, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_sigmoid(const T* x, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_sigmoid_backward(const T* grad_out, const T* out, T* grad_x, int64_t n,
                             cudaStream_t stream);
template <typename T>
void launch_silu_backward(const T* grad_out, const T* x, const T* gate, T* grad_x, int64_t n,
                          cudaStream_t stream);
// x is (images, channels, length), gain (channels).
template <typename T>
void launch_channel_scale(const T* x, const T* gain, int64_t channels, int64_t length, T* out,
                          int64_t n, cudaStream_t stream);
template <typename T>
void launch_square_backward(const T* grad_out, const T* x, T* grad_x, int64_t n,
                            cudaStream_t stream);
template <typename T>
void launch_scaled_tanh(const T* x, T scale, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_scaled_tanh_backward(const T* grad_out, const T* out, T scale, T* grad_x, int64_t n,
                                 cudaStream_t stream);
