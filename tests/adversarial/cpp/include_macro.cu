// naive: full marks. refused by: text. says: has `#include WHERE`
#define WHERE <dlfcn.h>
#include WHERE
