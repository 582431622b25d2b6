# \
include <dlfcn.h>
