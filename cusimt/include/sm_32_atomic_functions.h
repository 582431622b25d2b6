// Atomic functions: cuda_runtime.h has them, as in CUDA.
#pragma once
#include "cuda_runtime.h"
