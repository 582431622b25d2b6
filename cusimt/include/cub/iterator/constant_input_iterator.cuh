// ConstantInputIterator: counting_input_iterator.cuh has it.
#pragma once
#include "cub/iterator/counting_input_iterator.cuh"
