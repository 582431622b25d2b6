// The header that nvcc puts in front of every .cu file. A host compiler that includes it gets the runtime API and the vector
// types; device code (__CUDACC__ defined, as by simt/prelude.h) gets everything that needs no header of its own in CUDA.
#pragma once
#define __CUDA_RUNTIME_H__  // as in CUDA: by this other headers know that it is included
#include "cuda_runtime_api.h"
#include "device_types.h"
#ifdef __cplusplus
#include "simt/qualifiers.h"
#include "simt/channel_descriptions.h"
#include "simt/runtime_overloads.h"
#include "vector_functions.h"
#endif

#ifdef __CUDACC__
#include "simt/address_spaces.h"
#include "simt/atomics.h"
#include "simt/barriers.h"
#include "simt/builtin_atomics.h"
#include "simt/builtin_variables.h"
#include "simt/conversions.h"
#include "simt/diagnostics.h"
#include "simt/dpx.h"
#include "simt/dynamic_shared.h"
#include "simt/extended_launch.h"
#include "simt/handed.h"
#include "simt/integers.h"
#include "simt/kernel_overloads.h"
#include "simt/lanes_of_words.h"
#include "simt/launch.h"
#include "simt/math.h"
#include "simt/memory.h"
#include "simt/min_max.h"
#include "simt/occupancy.h"
#include "simt/rounded.h"
#include "simt/shuffles.h"
#include "simt/special_functions.h"
#include "simt/surface_functions.h"
#include "simt/texture_functions.h"
#include "simt/votes.h"
#include "simt/wait_loops.h"
#endif
