// warp_exchange.cuh has it.
#pragma once
#include "cub/warp/warp_exchange.cuh"
