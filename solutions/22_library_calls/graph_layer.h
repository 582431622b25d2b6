// What kernel.cu offers to binding.cpp. Pointers are device memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

// Adds 1 to counts[rows[i]] for each of the n entries.
void launch_count(const int* rows, int* counts, int64_t n, cudaStream_t stream);

// The bytes of temporary storage that launch_sums needs for n numbers.
size_t bytes_for_sums(int64_t n);

// Replaces each of the n numbers by the sum of all up to it, itself included.
void launch_sums(void* temporary, size_t bytes, int* numbers, int64_t n, cudaStream_t stream);
