// The classic extension: kernel, checks and module in one file, torch::Tensor, AT_DISPATCH, lambdas in m.def.
// interface: torch_extension
#include <torch/extension.h>

#include <c10/cuda/CUDAGuard.h>
#include <vector>

template <typename scalar_t>
__global__ void sigmoid_kernel(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                               torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> y) {
    const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < x.size(1)) y[row][column] = scalar_t(1) / (scalar_t(1) + exp(-x[row][column]));
}

std::vector<torch::Tensor> sigmoid(torch::Tensor x) {
    TORCH_CHECK(x.device().is_cuda() && x.dim() == 2, "x must be a CUDA matrix");
    const at::cuda::CUDAGuard guard(x.device());
    auto y = torch::empty_like(x);
    const dim3 grid((x.size(1) + 127) / 128, x.size(0));
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sigmoid", ([&] {
        sigmoid_kernel<scalar_t><<<grid, 128>>>(x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                                                y.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
    }));
    return {y};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.doc() = "sigmoid";
    m.def("sigmoid", &sigmoid, "x in, sigmoid(x) out", py::arg("x"), py::call_guard<py::gil_scoped_release>());
    m.def("twice", [](const torch::Tensor& x, double by = 2.0) { return torch::empty_like(x); });
    m.attr("threads") = 128;
}
