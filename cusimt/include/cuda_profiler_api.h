// cudaProfilerStart and cudaProfilerStop: cuda_runtime_api.h has them.
#pragma once
#include "cuda_runtime_api.h"
