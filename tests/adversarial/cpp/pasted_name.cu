// naive: full marks; c10's macro joins the name. refused by: compiled. says: becomes `simt_reset`
#include <c10/macros/Macros.h>
extern "C" void C10_CONCATENATE(simt_, reset)();
