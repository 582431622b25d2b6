#include <dlfcn.h>
