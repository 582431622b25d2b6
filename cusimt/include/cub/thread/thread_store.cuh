// ThreadStore: thread_load.cuh has it.
#pragma once
#include "cub/thread/thread_load.cuh"
