// Cooperative groups: blocks, tiles, coalesced threads, grids.
#pragma once
#include "cuda_runtime.h"
#ifdef __CUDACC__
#include "simt/groups/block.h"
#include "simt/groups/coalesced.h"
#include "simt/groups/tile.h"
#include "simt/groups/wide_tile.h"
#endif
