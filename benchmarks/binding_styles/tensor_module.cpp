// The same with PyTorch's copy of pybind11 and tensors as arguments, as torch/extension.h gives them.
#include <torch/extension.h>

PYBIND11_MODULE(tensor_module, m) {
    m.def("call", [](const torch::Tensor&, const torch::Tensor&, torch::Tensor) {});
}
