#include <pybind11/pybind11.h>
namespace py = pybind11;
void more(pybind11::module_& m) { m.def("add", [](py::object a, py::object b) { return a.attr("__add__")(b); }); }
