// interface: pybind. naive: full marks; the names have no `py::`. refused by: text. says: has `using pybind11::
#include <pybind11/pybind11.h>
using pybind11::module_;
PYBIND11_MODULE(mine, m) {}
