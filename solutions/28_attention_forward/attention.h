// What the binding and the launcher both need to know of a call.
#pragma once

#include <cstdint>

// The distance, in elements, between neighbours along a dimension. The elements of a row are neighbours.
struct Strides {
    int64_t batch, head, row;
};

struct Sizes {
    int64_t batch, heads, queries, keys, dims;
};
