// interface: pybind. naive: any Python. refused by: text. says: runs the interpreter that judges
#include <pybind11/pybind11.h>
PYBIND11_MODULE(mine, m) { PyRun_SimpleString("import os"); }
