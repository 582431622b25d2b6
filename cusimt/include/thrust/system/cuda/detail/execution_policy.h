// thrust's CUDA system: CCCL's policy, with algorithms that run on the simulated device.
#pragma once
#include_next <thrust/system/cuda/detail/execution_policy.h>

#include "simt/thrust_elements.h"
