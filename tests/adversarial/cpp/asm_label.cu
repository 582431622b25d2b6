// naive: full marks; `harmless` is dlsym to the linker. refused by: text. says: gives a function another's name
#include <cstdlib>
extern "C" void* __REDIRECT(harmless, (void*, const char*), dlsym);
