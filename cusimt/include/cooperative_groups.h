// Cooperative groups: blocks, tiles, coalesced threads, grids.
#pragma once
#ifndef __CUDACC_RTC__  // which has it already, and whose programs need no folder of the toolkit for it
#include "cuda_runtime.h"
#endif
#ifdef __CUDACC__
#include "simt/groups/block.h"
#include "simt/groups/coalesced.h"
#include "simt/groups/tile.h"
#include "simt/groups/wide_tile.h"
#endif
