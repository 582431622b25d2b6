// CacheModifiedOutputIterator: cache_modified_input_iterator.cuh has it.
#pragma once
#include "cub/iterator/cache_modified_input_iterator.cuh"
