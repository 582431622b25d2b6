// Elements of arrays whose type a program names at run time: of cuSPARSE, and of cuBLAS's calls with types.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "library_types.h"

namespace simt {

size_t bytes_of(cudaDataType type);  // 0: no type of elements here

// Element `i` of an array of `type`, as float or double.
template <class T>
T load(cudaDataType type, const void* values, int64_t i);
template <class T>
void store(cudaDataType type, void* values, int64_t i, T value);

}  // namespace simt
