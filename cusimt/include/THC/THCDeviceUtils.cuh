// An old name that PyTorch still has where it was built for CUDA; CPU wheels lack it.
#pragma once
#include <ATen/cuda/DeviceUtils.cuh>
