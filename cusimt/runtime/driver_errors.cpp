// Names and texts of the driver API's errors.
#include "cuda.h"
#include "simt_api.h"

namespace {
const char* name_of(int error) {
    switch (error) {
#define DRIVER_ERROR(name, value) \
    case value: return #name;
#include "simt/driver_error_list.inl"
#undef DRIVER_ERROR
    }
    return nullptr;
}
}  // namespace

extern "C" {
CUresult cuGetErrorName(CUresult error, const char** name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = name_of(error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? simt_error_string(error) : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
}
