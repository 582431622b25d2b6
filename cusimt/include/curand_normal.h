// A part of cuRAND's kernels' side that programs also include by itself.
#pragma once
#include "curand_kernel.h"
