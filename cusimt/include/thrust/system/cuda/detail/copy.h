// Copies to, from and within device memory: in place of CCCL's, which are made of kernels of CUB.
#pragma once
#include <thrust/system/cuda/detail/execution_policy.h>

#include "simt/thrust_copies.h"
