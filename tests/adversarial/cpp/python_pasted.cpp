// interface: pybind. naive: any Python; the name is joined by a macro of the C library. refused by: compiled. says: becomes `eval`
#include <cstdlib>
#include <pybind11/eval.h>
#include <pybind11/pybind11.h>
PYBIND11_MODULE(mine, m) { __CONCAT(ev, al)(pybind11::str("1")); }
