// Given: what binding.cpp calls. Every launcher takes dense memory and the stream to launch on; with nothing
// to compute it launches nothing.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

template <typename T>
void launch_row_sums(const T* x, const int64_t* lengths, T* out, int64_t rows, int64_t width,
                     cudaStream_t stream);
template <typename T>
void launch_rotate(const T* x, const T* angle, T turn, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_smooth(const T* x, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_scale(const T* x, T factor, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_polynomial(const T* x, const T* coefficients, int64_t terms, T* out, int64_t n,
                       cudaStream_t stream);
