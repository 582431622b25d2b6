// interface: pybind. naive: full marks; the names have another prefix. refused by: text. says: uses `pybind11` in another way
#include <pybind11/pybind11.h>
namespace hidden = pybind11;
PYBIND11_MODULE(mine, m) { hidden::globals(); }
