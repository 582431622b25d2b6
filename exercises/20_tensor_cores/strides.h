// Given: where the elements of a matrix are. Element (r, c) is at data[r * row + c * column].
#pragma once

#include <cstdint>

struct Strides {
    int64_t row, column;
};
