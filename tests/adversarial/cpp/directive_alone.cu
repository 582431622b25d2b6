// naive: full marks; `#` and its name are on two lines. refused by: spelling. says: continues a directive
# \
include <dlfcn.h>
