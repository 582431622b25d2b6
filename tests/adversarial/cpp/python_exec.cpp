// interface: pybind. naive: any Python, in the process that records. refused by: text. says: uses `py::exec`
#include <pybind11/eval.h>
#include <pybind11/pybind11.h>
namespace py = pybind11;
PYBIND11_MODULE(mine, m) { py::exec("import grader"); }
