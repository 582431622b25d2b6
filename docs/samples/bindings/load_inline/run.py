"""alpha * x + y by torch.utils.cpp_extension.load_inline(): the sources are strings."""

import torch
from torch.utils.cpp_extension import load_inline

KERNEL = """
// out = alpha * x + y for n elements of device memory. CUDA's headers only: compiles in a second.
#include <cstdint>
#include <cuda_runtime.h>

template <typename T>
__global__ void axpy_kernel(T alpha, const T* __restrict__ x, const T* __restrict__ y,
                            T* __restrict__ out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = alpha * x[i] + y[i];
}

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // a grid of zero blocks is an invalid launch
    constexpr int kThreads = 256;
    const auto blocks = unsigned((n + kThreads - 1) / kThreads);
    axpy_kernel<T><<<blocks, kThreads, 0, stream>>>(alpha, x, y, out, n);
}

// binding.cpp does not see these templates' bodies: instantiate every type that it uses.
template void launch_axpy(float, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_axpy(double, const double*, const double*, double*, int64_t, cudaStream_t);
"""

BINDING = """
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream);

at::Tensor axpy(double alpha, const at::Tensor& x, const at::Tensor& y) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(y.device() == x.device(), "y must be on ", x.device(), ", but is on ", y.device());
    TORCH_CHECK(y.dtype() == x.dtype(), "y must be ", x.dtype(), ", but is ", y.dtype());
    TORCH_CHECK(y.sizes() == x.sizes(), "y must have shape ", x.sizes(), ", but has ", y.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor from_x = x.contiguous(), from_y = y.contiguous();  // copies if strided
    at::Tensor out = at::empty_like(from_x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "axpy", [&] {
        launch_axpy<scalar_t>(
            alpha, from_x.const_data_ptr<scalar_t>(), from_y.const_data_ptr<scalar_t>(),
            out.mutable_data_ptr<scalar_t>(), out.numel(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

module = load_inline(
    "axpy_inline",
    cpp_sources=BINDING,
    cuda_sources=KERNEL,
    functions=["axpy"],  # load_inline writes PYBIND11_MODULE
    no_implicit_headers=True,  # keeps PyTorch's headers out of KERNEL, and nvcc fast
)


class Axpy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, alpha, x, y):
        ctx.alpha = alpha
        return module.axpy(alpha, x, y)

    @staticmethod
    def backward(ctx, grad):
        _, wants_x, wants_y = ctx.needs_input_grad
        return None, ctx.alpha * grad if wants_x else None, grad if wants_y else None


def axpy(alpha, x, y):
    return Axpy.apply(alpha, x, y)


def main():
    for dtype in (torch.float32, torch.float64):
        x, y = torch.randn(2, 1000, 3, dtype=dtype, device="cuda")
        torch.testing.assert_close(axpy(2.5, x, y), 2.5 * x + y)
        torch.testing.assert_close(axpy(2.5, x.t(), y.t()), 2.5 * x.t() + y.t())
    print("values         right in float32 and float64, contiguous or strided")

    x, y = torch.randn(2, 4, 3, dtype=torch.float64, device="cuda")
    torch.autograd.gradcheck(axpy, (2.5, x.requires_grad_(), y.requires_grad_()))
    print("gradient       agrees with finite differences")

    try:
        torch.compile(axpy, fullgraph=True)(2.5, x, y)
    except torch._dynamo.exc.Unsupported:
        print("torch.compile  breaks the graph: it cannot trace a function of pybind11")


if __name__ == "__main__":
    main()
