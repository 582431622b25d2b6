// NumPy arrays through their buffers, errors as Python's own.
// interface: pybind
#include <algorithm>
#include <cuda_runtime.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <vector>

namespace py = pybind11;
using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

static Floats doubled(const Floats& x) {
    const py::buffer_info info = x.request();
    if (info.ndim != 1) throw py::value_error("x must have one dimension");
    Floats y(info.size);
    auto out = y.mutable_unchecked<1>();
    const float* in = static_cast<const float*>(info.ptr);
    float* device = nullptr;
    if (cudaMalloc(reinterpret_cast<void**>(&device), info.size * sizeof(float)) != cudaSuccess)
        throw std::bad_alloc();
    cudaMemcpy(device, in, info.size * sizeof(float), cudaMemcpyHostToDevice);
    std::vector<float> host(info.size);
    cudaMemcpy(host.data(), device, info.size * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (py::ssize_t i = 0; i < info.size; ++i) out(i) = host[i];
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m, py::mod_gil_not_used()) {
    using namespace py::literals;
    m.def("doubled", &doubled, "x"_a);
    m.attr("__version__") = "1.0";
}
