// cudaArray: elements of one to four channels in one to three dimensions, or in layers. A GPU arranges them as it likes; here
// they are rows in device memory, which kernels reach through textures and surfaces only.
#pragma once
#include <stdint.h>

#include "cuda_runtime_api.h"

struct cudaArray {
    cudaChannelFormatDesc channels;
    cudaExtent extent;  // as given: a dimension that is not there is 0
    unsigned int flags;
    size_t element;  // bytes
    char* memory;
    size_t width() const { return extent.width; }
    size_t height() const { return extent.height ? extent.height : 1; }
    size_t depth() const { return extent.depth ? extent.depth : 1; }
    size_t row_bytes() const { return width() * element; }
    char* at(size_t x_bytes, size_t y, size_t z) const { return memory + (z * height() + y) * row_bytes() + x_bytes; }
};

namespace simt {

bool is_live_array(const cudaArray* array);
// Bytes of an element, or 0 for what is no valid description: 1, 2 or 4 channels of 8, 16 or 32 bits each.
size_t element_bytes(const cudaChannelFormatDesc& channels);

}  // namespace simt
