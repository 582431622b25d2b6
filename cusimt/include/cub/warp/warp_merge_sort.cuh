// cub::WarpMergeSort: block_merge_sort.cuh has it, beside the block's.
#pragma once
#include "cub/block/block_merge_sort.cuh"
