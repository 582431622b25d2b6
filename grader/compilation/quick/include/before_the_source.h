// What a source has from nvcc without asking: cuda_runtime.h, which includes these.
#include <cmath>
#include <cstddef>
#include <cstdint>
