// interface: pybind. naive: full marks; the array's own method adds. refused by: text. says: uses `.attr`
#include <pybind11/pybind11.h>
namespace py = pybind11;
PYBIND11_MODULE(mine, m) { m.def("add", [](py::object a, py::object b) { return a.attr("__add__")(b); }); }
