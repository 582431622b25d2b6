// Plans of cuFFT.
#pragma once
#include <memory>
#include <vector>

#include "cufft.h"

namespace simt {

// Where the elements of one side are: element i of batch b at b * distance + offset(i) * stride, rows as long as `embed` says.
struct FftLayout {
    std::vector<size_t> embed;  // by dimension; only the first one does not count
    size_t stride = 1, distance = 0;
    bool is_default = true;
};

struct FftPlan {
    bool is_made = false;
    cufftType type = CUFFT_C2C;
    std::vector<size_t> sizes;
    size_t batch = 1;
    FftLayout in, out;
    cudaStream_t stream = nullptr;
};

std::shared_ptr<FftPlan> find_fft_plan(cufftHandle plan);
inline bool is_real(cufftType type, bool input) {
    return input ? type == CUFFT_R2C || type == CUFFT_D2Z : type == CUFFT_C2R || type == CUFFT_Z2D;
}

}  // namespace simt
