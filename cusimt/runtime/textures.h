// Texture and surface objects, as kernels see them: a view of memory with the size of its dimensions.
#pragma once
#include <stdint.h>

#include "cuda_runtime_api.h"

namespace simt {

struct Image {
    uintptr_t begin = 0;
    size_t sizes[3] = {1, 1, 1};  // in elements
    size_t pitch = 0;             // bytes from row to row; a slice follows at once
    size_t element = 0;           // bytes
    cudaChannelFormatDesc channels{};
    int dimensions = 0;  // 0: no such object
    bool is_layered = false;
    uintptr_t at(const size_t place[3]) const { return begin + (place[2] * sizes[1] + place[1]) * pitch + place[0] * element; }
};

// What a resource describes; an Image without dimensions, and an error, if it is not valid.
Image image_of(const cudaResourceDesc& resource, cudaError_t* error);
// In a checked launch: the finding, if any, for a texel of the memory that the running thread reads or writes.
void check_texel(uintptr_t address, size_t bytes, int kind, const void* pc);
// The running thread uses an object that is not there: the launch fails.
[[noreturn]] void fail_without_object(const char* what, const void* pc);

}  // namespace simt
