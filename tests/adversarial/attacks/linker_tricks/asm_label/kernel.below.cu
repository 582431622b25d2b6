#include <cstdlib>
extern "C" void* __REDIRECT(harmless, (void*, const char*), dlsym);
