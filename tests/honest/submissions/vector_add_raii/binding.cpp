#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <sstream>
#include <string>

cudaError_t launch_vector_add(const float* d_a, const float* d_b, float* d_out, int64_t n);

namespace py = pybind11;
using namespace py::literals;

namespace {

struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void ok(cudaError_t status, const char* where) {
    if (status == cudaSuccess) return;
    std::ostringstream text;
    text << where << ": " << cudaGetErrorName(status) << " (" << static_cast<int>(status) << ")";
    throw CudaError(text.str());
}

struct Free {
    void operator()(float* pointer) const noexcept { static_cast<void>(cudaFree(pointer)); }
};
using Device = std::unique_ptr<float[], Free>;

Device reserve(std::size_t n) {
    void* memory = nullptr;
    ok(cudaMalloc(&memory, n * sizeof(float)), "cudaMalloc");
    return Device(static_cast<float*>(memory));
}

Device upload(std::span<const float> values) {
    Device memory = reserve(values.size());
    ok(cudaMemcpy(memory.get(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "upload");
    return memory;
}

template <typename Array>
std::span<const float> view(const Array& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

void require(const py::array& array, std::string_view name) {
    if (!py::isinstance<py::array_t<float>>(array)) throw py::type_error(std::string(name) + " must be float32");
    if (array.ndim() != 1) throw py::value_error(std::string(name) + " must have one dimension");
}

void vector_add(const py::array& a, const py::array& b, py::array out) {
    require(a, "a");
    require(b, "b");
    require(out, "out");
    if (a.size() != b.size()) throw py::value_error("b must have as many elements as a");
    if (a.size() != out.size()) throw py::value_error("out must have as many elements as a");
    if ((out.flags() & py::array::c_style) == 0) throw py::value_error("out must be contiguous");
    if (!out.writeable()) throw py::value_error("out must be writeable");
    using Dense = py::array_t<float, py::array::c_style | py::array::forcecast>;
    const Dense dense_a = Dense::ensure(a), dense_b = Dense::ensure(b);
    const auto n = static_cast<std::size_t>(a.size());
    if (n == 0) return;
    const Device left = upload(view(dense_a)), right = upload(view(dense_b)), sum = reserve(n);
    ok(launch_vector_add(left.get(), right.get(), sum.get(), static_cast<int64_t>(n)), "launch");
    ok(cudaMemcpy(out.mutable_data(), sum.get(), n * sizeof(float), cudaMemcpyDeviceToHost), "download");
}

}  // namespace

PYBIND11_MODULE(vector_add, module, py::mod_gil_not_used()) {
    module.doc() = "vectors on the device";
    py::register_exception<CudaError>(module, "CudaError", PyExc_RuntimeError);
    module.def("vector_add", &vector_add, "a"_a, "b"_a, "out"_a);
    module.attr("__version__") = "1.0";
}
