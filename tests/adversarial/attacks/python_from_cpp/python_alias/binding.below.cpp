#include <pybind11/pybind11.h>
namespace hidden = pybind11;
void more(pybind11::module_& m) { hidden::globals(); }
