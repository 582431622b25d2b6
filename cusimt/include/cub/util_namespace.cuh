// The macros of the namespace are in config.cuh.
#pragma once
#include "cub/config.cuh"
