// out = a * b for float32 tensors: kernel, checks and Python binding in one file, the classic form
// of an extension.
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

#define CHECK_CUDA(x) \
    TORCH_CHECK((x).is_cuda(), #x " must be a CUDA tensor, but is on ", (x).device())
// TODO(macros): CHECK_FLOAT and CHECK_CONTIGUOUS, after the pattern of CHECK_CUDA; the messages say
//   "float32" and "contiguous", about 4 lines.
#define CHECK_FLOAT(x)
#define CHECK_CONTIGUOUS(x)
#define CHECK_INPUT(x) \
    CHECK_CUDA(x);     \
    CHECK_FLOAT(x);    \
    CHECK_CONTIGUOUS(x)
#define CHECK_LIKE(x, a)                                                                        \
    TORCH_CHECK((x).device() == (a).device(), #x " must be on the device of " #a ", ",          \
                (a).device(), ", but is on ", (x).device());                                    \
    TORCH_CHECK((x).sizes() == (a).sizes(), #x " must have the shape of " #a ", ", (a).sizes(), \
                ", but has ", (x).sizes())

namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] * b[i];
}

// Writes a * b into `out`, which the caller has allocated.
void multiply_out(const torch::Tensor& a, const torch::Tensor& b, torch::Tensor out) {
    // TODO(checks): check every argument, then that b and out are like a, about 5 lines.

    const int64_t n = a.numel();
    if (n == 0) return;  // a grid of zero blocks is an invalid launch
    const c10::cuda::CUDAGuard guard(a.device());
    const int64_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
    // TODO(launch): repair: this launch ignores the current stream, waits for the device, and is not
    //   checked, about 4 lines.
    multiply_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(
        a.const_data_ptr<float>(), b.const_data_ptr<float>(), out.mutable_data_ptr<float>(), n);
    cudaDeviceSynchronize();
}

}  // namespace

// TODO(module): repair: there are two modules, and neither has the name that Python imports, about
//   4 lines.
PYBIND11_MODULE(elementwise_multiply, m) {
    m.def("multiply_out", &multiply_out, py::arg("a"), py::arg("b"), py::arg("out"));
}
PYBIND11_MODULE(elementwise_multiply_settings, m) {
    m.attr("threads_per_block") = kThreadsPerBlock;
}
