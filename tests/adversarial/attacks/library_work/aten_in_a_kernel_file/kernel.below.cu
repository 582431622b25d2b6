#include <ATen/native/cuda/Reduce.cuh>
