#include <cstdlib>
static int __attribute_used__ one() { return 1; }
static int two() __nonnull((1));
void* three() __attribute_alloc_size__((1));
