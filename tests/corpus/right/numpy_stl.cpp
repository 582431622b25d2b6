// Lists, dictionaries, tuples and optionals converted by pybind11/stl.h; keyword arguments; a submodule.
// interface: pybind
#include <cuda_runtime_api.h>
#include <map>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <vector>

namespace py = pybind11;

std::tuple<int, std::string> device(std::optional<int> wanted) {
    int current = 0;
    if (const cudaError_t error = cudaGetDevice(&current); error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(error));
    return {wanted.value_or(current), "cuda"};
}

std::map<std::string, double> limits(const std::vector<double>& values) {
    if (values.empty()) throw py::index_error("values is empty");
    return {{"first", values.front()}, {"last", values.back()}};
}

py::dict facts(py::array_t<float> x) {
    py::dict found;
    found["size"] = x.size();
    found["shape"] = py::make_tuple(x.shape(0), x.ndim());
    py::list strides;
    for (py::ssize_t i = 0; i < x.ndim(); ++i) strides.append(x.strides(i));
    found["strides"] = strides;
    return found;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.doc() = R"pbdoc(
        What the device is, and what arrays are.
    )pbdoc";
    m.def("device", &device, py::arg("wanted") = py::none());
    m.def("limits", &limits, py::kw_only(), py::arg("values"));
    m.def("facts", &facts, py::return_value_policy::move);
    py::module_ inner = m.def_submodule("inner", "more");
    inner.def("one", [] { return 1; });
}
