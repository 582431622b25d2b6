// As in CUDA, where programs may include it on its own.
#pragma once
#include "cuda_runtime.h"
