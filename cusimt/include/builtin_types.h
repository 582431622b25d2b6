// Vector types and types of the runtime API: cuda_runtime.h has them, as in CUDA.
#pragma once
#include "cuda_runtime.h"
