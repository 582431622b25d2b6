#include <c10/macros/Macros.h>
extern "C" void C10_CONCATENATE(simt_, reset)();
