// ArgIndexInputIterator: transform_input_iterator.cuh has it.
#pragma once
#include "cub/iterator/transform_input_iterator.cuh"
