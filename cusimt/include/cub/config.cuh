// Where everything of CUB lies: in namespace cub, or, as CUB allows, in one inside CUB_WRAPPED_NAMESPACE or CUB_NS_PREFIX.
#pragma once
#include "cub/version.cuh"
#include "cuda_runtime.h"

#ifdef CUB_WRAPPED_NAMESPACE
#define SIMT_CUB_OUTER_BEGIN namespace CUB_WRAPPED_NAMESPACE {
#define SIMT_CUB_OUTER_END }
#elif defined(CUB_NS_PREFIX)
#define SIMT_CUB_OUTER_BEGIN CUB_NS_PREFIX
#define SIMT_CUB_OUTER_END CUB_NS_POSTFIX
#else
#define SIMT_CUB_OUTER_BEGIN
#define SIMT_CUB_OUTER_END
#endif
#ifndef CUB_NS_PREFIX  // Thrust puts aliases of its own between these
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#endif
#define CUB_NAMESPACE_BEGIN SIMT_CUB_OUTER_BEGIN namespace cub {
#define CUB_NAMESPACE_END \
    }                     \
    SIMT_CUB_OUTER_END

#define CUB_RUNTIME_FUNCTION inline
#define CUB_PTX_WARP_THREADS 32
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused) 32
#define CUB_PTX_LOG_WARP_THREADS 5
#ifndef CUB_NS_QUALIFIER
#ifdef CUB_WRAPPED_NAMESPACE
#define CUB_NS_QUALIFIER ::CUB_WRAPPED_NAMESPACE::cub
#else
#define CUB_NS_QUALIFIER ::cub
#endif
#endif
