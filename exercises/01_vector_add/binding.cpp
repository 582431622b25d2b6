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
    // TODO(checks): refuse, by name, an array that is not "float32" (py::type_error) or does not have 1
    //   "dimension" (py::value_error); use these words in the message, about 8 lines.
}

// Writes a + b into out. a and b may be strided views; out is written in place, so it must be
// dense.
void vector_add(const py::array& a, const py::array& b, py::array out) {
    check_float_vector(a, "a");
    check_float_vector(b, "b");
    check_float_vector(out, "out");
    // TODO(sizes): refuse (py::value_error), by name, b or out unless it has as many "elements" as a,
    //   and an out that is not "contiguous"; use these words in the message, about 3 lines.

    // TODO(dense): dense_a and dense_b: a and b as dense arrays, copied only if they are strided, about
    //   2 lines.
    const py::array_t<float> dense_a, dense_b;
    const auto n = static_cast<int64_t>(a.size());

    // TODO(stage): three device buffers, copy a and b in, launch, copy the result into out; check every
    //   call, about 8 lines.
}

}  // namespace

PYBIND11_MODULE(vector_add, m) {
    m.def("vector_add", &vector_add, py::arg("a"), py::arg("b"), py::arg("out"));
}
