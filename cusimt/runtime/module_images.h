// The images that cuModuleLoadData takes: those of the simulated NVRTC and nvcc. What is made for a GPU is refused, with the reason.
#pragma once
#include <string>

#include "cuda.h"

namespace simt {

struct ModuleImage {
    CUresult error = CUDA_SUCCESS;
    std::string why{};      // of an error: what the image is, and what to do
    std::string library{};  // the file with its device code
};
// Of an image in memory, which says by its first bytes how long it is. A text ends with a NUL.
ModuleImage read_image(const char* image);

}  // namespace simt
