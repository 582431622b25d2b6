// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, with CUDA's names.
//
// As in CUDA, __CUDA_NO_BFLOAT16_OPERATORS__, __CUDA_NO_BFLOAT162_OPERATORS__ and __CUDA_NO_BFLOAT16_CONVERSIONS__ (which
// PyTorch's extension builder defines) leave out the operators and the implicit conversions.
#pragma once
#define __CUDA_BF16_H__  // as in CUDA: by this other headers know that it is included
#include "cuda_fp16.h"
#include "simt/small_float.h"

#define SIMT_T __nv_bfloat16
#define SIMT_T2 __nv_bfloat162
#define SIMT_RAW __nv_bfloat16_raw
#define SIMT_RAW2 __nv_bfloat162_raw
#define SIMT_PASTE(before, after) before##bfloat16##after
#define SIMT_NAMED(before, after) SIMT_PASTE(before, after)
#define SIMT_E 8
#define SIMT_M 7
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define SIMT_CONVERTS 0
#else
#define SIMT_CONVERTS 1
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define SIMT_OPERATORS 0
#else
#define SIMT_OPERATORS 1
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define SIMT_OPERATORS2 0
#else
#define SIMT_OPERATORS2 1
#endif
#include "simt/small_float_type.inl"
#include "simt/small_float_arithmetic.inl"
#include "simt/small_float_end.inl"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#ifndef CUDART_INF_BF16
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif
