// interface: pybind. naive: full marks; NumPy adds. refused by: text. says: which runs the interpreter
#include <pybind11/pybind11.h>
namespace py = pybind11;
PYBIND11_MODULE(mine, m) { m.def("add", [](py::object a, py::object b) { return py::module_::import("numpy").attr("add")(a, b); }); }
