// NVTX names for CUDA's objects: no profiler listens here.
#pragma once
#include "nvtx3/nvToolsExt.h"
