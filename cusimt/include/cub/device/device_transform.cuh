// cub::DeviceTransform: device_for.cuh has it.
#pragma once
#include "cub/device/device_for.cuh"
