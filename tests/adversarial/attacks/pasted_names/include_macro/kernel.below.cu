#define WHERE <dlfcn.h>
#include WHERE
