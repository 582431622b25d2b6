#include <pybind11/pybind11.h>
void more(pybind11::module_& m) { PyRun_SimpleString("import os"); }
