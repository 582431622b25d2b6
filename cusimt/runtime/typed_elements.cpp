// Reading and writing elements of float, double, half and bfloat16.
#include "typed_elements.h"

#include "simt/small_float.h"

namespace simt {

size_t bytes_of(cudaDataType type) {
    switch (type) {
        case CUDA_R_64F: return 8;
        case CUDA_R_32F: return 4;
        case CUDA_R_16F:
        case CUDA_R_16BF: return 2;
        default: return 0;
    }
}

template <class T>
T load(cudaDataType type, const void* values, int64_t i) {
    switch (type) {
        case CUDA_R_64F: return static_cast<T>(static_cast<const double*>(values)[i]);
        case CUDA_R_16F: return static_cast<T>(decode<5, 10>(static_cast<const uint16_t*>(values)[i]));
        case CUDA_R_16BF: return static_cast<T>(decode<8, 7>(static_cast<const uint16_t*>(values)[i]));
        default: return static_cast<T>(static_cast<const float*>(values)[i]);
    }
}

template <class T>
void store(cudaDataType type, void* values, int64_t i, T value) {
    switch (type) {
        case CUDA_R_64F: static_cast<double*>(values)[i] = value; return;
        case CUDA_R_16F: static_cast<uint16_t*>(values)[i] = encode<5, 10>(value); return;
        case CUDA_R_16BF: static_cast<uint16_t*>(values)[i] = encode<8, 7>(value); return;
        default: static_cast<float*>(values)[i] = static_cast<float>(value);
    }
}

template float load<float>(cudaDataType, const void*, int64_t);
template double load<double>(cudaDataType, const void*, int64_t);
template void store<float>(cudaDataType, void*, int64_t, float);
template void store<double>(cudaDataType, void*, int64_t, double);

}  // namespace simt
