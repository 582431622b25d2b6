#include <cstdlib>
#include <pybind11/eval.h>
#include <pybind11/pybind11.h>
void more(pybind11::module_& m) { __CONCAT(ev, al)(pybind11::str("1")); }
