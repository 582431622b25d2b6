#include <c10/macros/Macros.h>
#define STORE C10_CONCATENATE(__builtin_non, temporal_store)
inline void store(float* x) { STORE(1.0f, x); }
