// PyTorch's header-only part in a kernel file: accessors and 16-bit types beside CUDA's own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/headeronly/core/TensorAccessor.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>

template <typename T>
using Accessor = torch::headeronly::HeaderOnlyGenericPackedTensorAccessor<T, 2>;

template <typename T>
__global__ void transpose_kernel(const Accessor<T> in, Accessor<T> out) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    if (row < in.size(0)) out[column][row] = in[row][column];
}
template <typename T>
void launch_transpose(T* in, T* out, int64_t rows, int64_t columns) {
    const int64_t shape[] = {rows, columns}, strides[] = {columns, 1}, turned[] = {columns, rows}, across[] = {rows, 1};
    transpose_kernel<T><<<dim3((rows + 31) / 32, columns), 32>>>(Accessor<T>(in, shape, strides), Accessor<T>(out, turned, across));
}
extern "C" void transpose(float* in, float* out, int rows, int columns) { launch_transpose(in, out, rows, columns); }
extern "C" void transpose_half(__half* in, __half* out, int rows, int columns) { launch_transpose(in, out, rows, columns); }

// c10's half and CUDA's convert into each other without a change of bits.
__global__ void convert_kernel(const __half* in, c10::Half* half, __nv_bfloat16* bfloat) {
    const c10::Half value = in[threadIdx.x];
    half[threadIdx.x] = value;
    bfloat[threadIdx.x] = c10::BFloat16(static_cast<float>(value));
}
extern "C" void convert(const __half* in, c10::Half* half, __nv_bfloat16* bfloat, int n) { convert_kernel<<<1, n>>>(in, half, bfloat); }
