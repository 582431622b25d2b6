// Given: a matrix as a kernel sees it, a pointer and two strides. Both kernel.cu, which indexes it, and
// binding.cpp, which fills it in, include this file.
#pragma once
#include <cstdint>

template <typename T>
struct MatrixView {
    const T* first;  // element (0, 0), in device memory
    int64_t row_stride, column_stride;  // elements from one row, or column, to the next
};
