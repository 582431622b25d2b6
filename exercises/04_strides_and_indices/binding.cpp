// Between PyTorch and the launchers: checks, allocation, dtype, stream, launch check, registration.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "view.h"

template <typename T>
void launch_difference(MatrixView<T> a, MatrixView<T> b, T* out, int64_t rows, int64_t columns,
                       cudaStream_t stream);
template <typename T>
void launch_slope(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad, T* out, int64_t rows,
                  int64_t columns, cudaStream_t stream);
template <typename T>
void launch_by_accessors(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out,
                         cudaStream_t stream);

namespace {

// Raises unless `x` is a matrix that agrees with `a` in device, dtype and shape. Its strides may be
// anything: the kernels follow them.
void check_like(const at::Tensor& x, const at::Tensor& a, const char* name) {
    TORCH_CHECK(x.device() == a.device(), name, " must be on ", a.device(), " like a, but is on ",
                x.device());
    TORCH_CHECK(x.scalar_type() == a.scalar_type(), name, " must be ", a.scalar_type(),
                " like a, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() == 2, name, " must have 2 dimensions, but has ", x.dim());
    TORCH_CHECK(x.sizes() == a.sizes(), name, " must have the shape of a, ", a.sizes(),
                ", but has ", x.sizes());
}

void check_both(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor, but is on ", a.device());
    check_like(a, a, "a");
    check_like(b, a, "b");
}

template <typename T>
MatrixView<T> view_of(const at::Tensor& x) {
    // TODO(view): pointer and strides of the matrix x, about 1 line.
    return {};
}

// A new tensor for the result, which launch_difference and launch_slope write as row-major memory.
at::Tensor result_for(const at::Tensor& a) {
    // TODO(result): a row-major tensor with the shape, dtype and device of a, whatever a's strides are,
    //   about 1 line.
    return at::Tensor();
}

// Given: calls run(T()) for the C++ type T of `dtype`. Exercise 06 replaces it by AT_DISPATCH.
template <typename Run>
void for_type(at::ScalarType dtype, const Run& run) {
    switch (dtype) {
        case at::kByte: return run(uint8_t());
        case at::kFloat: return run(float());
        case at::kDouble: return run(double());
        default: TORCH_CHECK(false, "a must be uint8, float32 or float64, but is ", dtype);
    }
}

at::Tensor by_pointers(const at::Tensor& a, const at::Tensor& b) {
    check_both(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    at::Tensor out = result_for(a);
    for_type(a.scalar_type(), [&](auto zero) {
        using T = decltype(zero);
        launch_difference<T>(view_of<T>(a), view_of<T>(b), out.mutable_data_ptr<T>(), a.size(0),
                             a.size(1), stream);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor by_accessors(const at::Tensor& a, const at::Tensor& b) {
    check_both(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    at::Tensor out = result_for(a);
    for_type(a.scalar_type(), [&](auto zero) {
        launch_by_accessors<decltype(zero)>(a, b, out, stream);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// The gradient of |x - y| by x for the incoming gradient grad.
at::Tensor slope(const at::Tensor& x, const at::Tensor& y, const at::Tensor& grad) {
    check_both(x, y);
    check_like(grad, x, "grad");
    const c10::cuda::CUDAGuard guard(x.device());
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    at::Tensor out = result_for(x);
    TORCH_CHECK(x.is_floating_point(), "x must be float32 or float64, but is ", x.scalar_type());
    for_type(x.scalar_type(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_same_v<T, uint8_t>) {
            launch_slope<T>(view_of<T>(x), view_of<T>(y), view_of<T>(grad),
                            out.mutable_data_ptr<T>(), x.size(0), x.size(1), stream);
        }
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

}  // namespace

TORCH_LIBRARY(strides_and_indices, m) {
    m.def("by_pointers(Tensor a, Tensor b) -> Tensor");
    m.def("by_accessors(Tensor a, Tensor b) -> Tensor");
    m.def("slope(Tensor x, Tensor y, Tensor grad) -> Tensor");
}

TORCH_LIBRARY_IMPL(strides_and_indices, CUDA, m) {
    m.impl("by_pointers", &by_pointers);
    m.impl("by_accessors", &by_accessors);
    m.impl("slope", &slope);
}
