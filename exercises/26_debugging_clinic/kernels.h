// The launchers that binding.cpp calls and kernel.cu defines. Every pointer is to device memory, dense
// and row-major unless strides are given beside it; `out` and `x` never overlap. A launch goes to
// `stream`.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // in a block; also the elements that one block reduces
constexpr int kMostCoefficients = 8;

// Of a polynomial, the constant term first.
struct Coefficients {
    float value[kMostCoefficients];
    int count;
};

// Adds the number of elements above `level` to *count.
void launch_count_above(const float* x, int64_t n, float level, int32_t* count, cudaStream_t stream);
void launch_polynomial(const float* x, int64_t n, const Coefficients& coefficients, float* out,
                       cudaStream_t stream);
// No element above the number that `limit` points to.
void launch_clip(const float* x, int64_t n, const float* limit, float* out, cudaStream_t stream);
// Strides in elements.
void launch_row_sums(const float* x, int64_t rows, int64_t columns, int64_t row_stride,
                     int64_t column_stride, float* out, cudaStream_t stream);
// 255 - x. Strides in elements.
void launch_negative(const uint8_t* x, int64_t rows, int64_t columns, int64_t row_stride,
                     int64_t column_stride, uint8_t* out, cudaStream_t stream);
// One sum, or maximum, for every kThreads elements; the last block may have fewer.
void launch_block_sums(const float* x, int64_t n, float* out, cudaStream_t stream);
void launch_block_maxima(const float* x, int64_t n, float* out, cudaStream_t stream);
// Adds to each of the 256 counts how often its value occurs.
void launch_byte_counts(const uint8_t* x, int64_t n, int32_t* counts, cudaStream_t stream);
// Row i of x times factors[i].
void launch_scale_rows(const float* x, const float* factors, int64_t rows, int64_t columns,
                       float* out, cudaStream_t stream);
// x divided by its largest magnitude. *peak_bits is 0 before, and the bits of that magnitude after.
void launch_normalise(const float* x, int64_t n, int32_t* peak_bits, float* out,
                      cudaStream_t stream);
// Two passes of a mean over three neighbours; `scratch` has room for n elements.
void launch_smooth(const float* x, int64_t n, float* scratch, float* out, cudaStream_t stream);
// gate = sigmoid(x), out = x gate.
template <typename T>
void launch_silu(const T* x, int64_t n, T* gate, T* out, cudaStream_t stream);
template <typename T>
void launch_silu_backward(const T* grad_out, const T* x, const T* gate, int64_t n, T* grad_x,
                          cudaStream_t stream);
