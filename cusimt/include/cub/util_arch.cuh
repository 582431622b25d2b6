// Facts about the architecture are in config.cuh.
#pragma once
#include "cub/config.cuh"
