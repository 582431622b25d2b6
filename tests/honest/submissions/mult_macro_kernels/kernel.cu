#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <ATen/ceil_div.h>
#include <torch/extension.h>

#define UNROLL _Pragma("unroll")
#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor, but is on ", x.device())
#define CHECK_FLOAT32(x) TORCH_CHECK(x.dtype() == torch::kFloat32, #x " must be float32, but is ", x.dtype())
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous, but has strides ", x.strides())
#define CHECK_INPUT(x) do { CHECK_CUDA(x); CHECK_FLOAT32(x); CHECK_CONTIGUOUS(x); } while (0)

constexpr int kItems = 4;

#define ELEMENTWISE_BINARY(name, op)                                                                        \
    __global__ void name##_kernel(const float* a, const float* b, float* out, const int64_t n) {            \
        const int64_t first = (int64_t)blockIdx.x * blockDim.x * kItems + threadIdx.x;                      \
        UNROLL                                                                                              \
        for (int item = 0; item < kItems; ++item) {                                                         \
            const int64_t i = first + (int64_t)item * blockDim.x;                                           \
            if (i < n) out[i] = a[i] op b[i];                                                               \
        }                                                                                                   \
    }

ELEMENTWISE_BINARY(multiply, *)

#undef ELEMENTWISE_BINARY

void multiply_out(torch::Tensor a, torch::Tensor b, torch::Tensor out) {
    CHECK_INPUT(a);
    CHECK_INPUT(b);
    CHECK_INPUT(out);
    TORCH_CHECK(a.sizes() == b.sizes(), "b must have the shape of a, ", a.sizes(), ", but has ", b.sizes());
    TORCH_CHECK(a.sizes() == out.sizes(), "out must have the shape of a, ", a.sizes(), ", but has ", out.sizes());
    TORCH_CHECK(b.device() == a.device() && out.device() == a.device(), "a, b and out must be on one device");
    if (!a.numel()) return;
    c10::cuda::OptionalCUDAGuard guard(at::device_of(a));
    const int threads = 128;
    const auto blocks = at::ceil_div<int64_t>(a.numel(), threads * kItems);
    multiply_kernel<<<dim3(blocks), dim3(threads), 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), a.numel());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("multiply_out", &multiply_out, "out = a * b (CUDA)");
}
