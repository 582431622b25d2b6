// device_radix_sort.cuh has the segmented sorts, too.
#pragma once
#include "cub/device/device_radix_sort.cuh"
