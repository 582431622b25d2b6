// sliding_sum::sliding_sum(x, radius): y[..., i] is the sum of x[..., i - radius] to x[..., i + radius], where what lies
// beyond the ends counts as zero. This file has the schema and the CPU implementation; sliding_sum_cuda.cu has the other.
#include <Python.h>

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <algorithm>

namespace sliding_sum {

at::Tensor sliding_sum_cpu(const at::Tensor& x, int64_t radius) {
    TORCH_CHECK(x.dim() >= 1, "x must have at least one dimension");
    TORCH_CHECK(radius >= 0, "radius must not be negative, but is ", radius);
    const at::Tensor input = x.contiguous();
    at::Tensor y = at::empty_like(input);
    const int64_t columns = input.size(-1), rows = columns ? input.numel() / columns : 0;
    AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "sliding_sum_cpu", [&] {
        const scalar_t* from = input.const_data_ptr<scalar_t>();
        scalar_t* to = y.mutable_data_ptr<scalar_t>();
        for (int64_t row = 0; row < rows; ++row, from += columns, to += columns) {
            for (int64_t i = 0; i < columns; ++i) {
                scalar_t sum = 0;
                const int64_t last = std::min(columns - 1, i + radius);
                for (int64_t j = std::max<int64_t>(0, i - radius); j <= last; ++j) sum += from[j];
                to[i] = sum;
            }
        }
    });
    return y;
}

TORCH_LIBRARY(sliding_sum, m) { m.def("sliding_sum(Tensor x, int radius) -> Tensor"); }

TORCH_LIBRARY_IMPL(sliding_sum, CPU, m) { m.impl("sliding_sum", &sliding_sum_cpu); }

}  // namespace sliding_sum

// `import sliding_sum._C` loads this library, which is all it is for: the operators register themselves.
PyMODINIT_FUNC PyInit__C(void) {
    static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
    return PyModule_Create(&module);
}
