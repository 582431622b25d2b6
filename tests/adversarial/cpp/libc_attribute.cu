// naive: full marks; a macro of the C library brings the attribute. refused by: compiled. says: gets the attribute
#include <cstdlib>
static int __attribute_used__ one() { return 1; }
static int two() __nonnull((1));
void* three() __attribute_alloc_size__((1));
