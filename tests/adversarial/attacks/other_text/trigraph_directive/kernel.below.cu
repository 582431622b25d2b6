??=include <dlfcn.h>
