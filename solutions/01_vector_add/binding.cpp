// NumPy in, NumPy out: checks, copies to the device, launch, copy back.
#include <cstdint>
#include <cuda_runtime.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>

#include "device_buffer.h"

namespace py = pybind11;

cudaError_t launch_vector_add(const float* d_a, const float* d_b, float* d_out, int64_t n);

namespace {

// `array` is the caller's own: py::array_t<float> would silently convert float64 to float32, in a
// copy that the caller never sees.
void check_float_vector(const py::array& array, const char* name) {
    // --8<-- [start:checks]
    if (!py::isinstance<py::array_t<float>>(array)) {
        throw py::type_error(std::string(name) + " must be float32, but is " +
                             std::string(py::str(array.dtype())));
    }
    if (array.ndim() != 1) {
        throw py::value_error(std::string(name) + " must have 1 dimension, but has " +
                              std::to_string(array.ndim()));
    }
    // --8<-- [end:checks]
}

// Writes a + b into out. a and b may be strided views; out is written in place, so it must be
// dense.
void vector_add(const py::array& a, const py::array& b, py::array out) {
    check_float_vector(a, "a");
    check_float_vector(b, "b");
    check_float_vector(out, "out");
    // --8<-- [start:sizes]
    if (b.size() != a.size()) throw py::value_error("b must have as many elements as a");
    if (out.size() != a.size()) throw py::value_error("out must have as many elements as a");
    if (!(out.flags() & py::array::c_style)) throw py::value_error("out must be contiguous");
    // --8<-- [end:sizes]

    // --8<-- [start:dense]
    // c_style without forcecast: a dense view of the caller's memory, or a dense copy when the
    // caller's is strided.
    const auto dense_a = py::array_t<float, py::array::c_style>::ensure(a);
    const auto dense_b = py::array_t<float, py::array::c_style>::ensure(b);
    // --8<-- [end:dense]
    const auto n = static_cast<int64_t>(a.size());

    // --8<-- [start:stage]
    const DeviceBuffer<float> d_a(n), d_b(n), d_out(n);
    check_cuda(cudaMemcpy(d_a.get(), dense_a.data(), d_a.bytes(), cudaMemcpyHostToDevice),
               "copy of a");
    check_cuda(cudaMemcpy(d_b.get(), dense_b.data(), d_b.bytes(), cudaMemcpyHostToDevice),
               "copy of b");
    check_cuda(launch_vector_add(d_a.get(), d_b.get(), d_out.get(), n), "launch");
    check_cuda(cudaMemcpy(out.mutable_data(), d_out.get(), d_out.bytes(), cudaMemcpyDeviceToHost),
               "copy of out");
    // --8<-- [end:stage]
}

}  // namespace

// --8<-- [start:module]
PYBIND11_MODULE(vector_add, m) {
    m.def("vector_add", &vector_add, py::arg("a"), py::arg("b"), py::arg("out"));
}
// --8<-- [end:module]
