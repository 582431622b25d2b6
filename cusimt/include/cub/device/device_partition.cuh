// cub::DevicePartition: device_select.cuh has it.
#pragma once
#include "cub/device/device_select.cuh"
