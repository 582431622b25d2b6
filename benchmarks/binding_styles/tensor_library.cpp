// The same as an operation of the dispatcher: a schema, and an implementation for the CPU.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

TORCH_LIBRARY(binding_styles, m) { m.def("call(Tensor a, Tensor b, Tensor out) -> ()"); }
TORCH_LIBRARY_IMPL(binding_styles, CPU, m) {
    m.impl("call", [](const at::Tensor&, const at::Tensor&, const at::Tensor&) {});
}
