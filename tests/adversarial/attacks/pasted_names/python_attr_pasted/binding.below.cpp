#include <pybind11/pybind11.h>
#define JOIN(a, b) a##b
void f(pybind11::object x) { x.JOIN(at, tr)("__class__"); }
void more(pybind11::module_& m) { m.def("f", &f); }
