#include <pybind11/pybind11.h>
using pybind11::module_;
void more(pybind11::module_& m) {}
