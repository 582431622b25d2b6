// __half and __half2: IEEE 754 binary16, with CUDA's names.
//
// As in CUDA, __CUDA_NO_HALF_OPERATORS__, __CUDA_NO_HALF2_OPERATORS__ and __CUDA_NO_HALF_CONVERSIONS__ (which PyTorch's
// extension builder defines) leave out the operators and the implicit conversions.
#pragma once
#define __CUDA_FP16_H__  // as in CUDA: by this other headers know that it is included
#include "cuda_runtime.h"
#include "simt/small_float.h"

#define SIMT_T __half
#define SIMT_T2 __half2
#define SIMT_RAW __half_raw
#define SIMT_RAW2 __half2_raw
#define SIMT_PASTE(before, after) before##half##after
#define SIMT_NAMED(before, after) SIMT_PASTE(before, after)
#define SIMT_E 5
#define SIMT_M 10
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define SIMT_CONVERTS 0
#else
#define SIMT_CONVERTS 1
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define SIMT_OPERATORS 0
#else
#define SIMT_OPERATORS 1
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define SIMT_OPERATORS2 0
#else
#define SIMT_OPERATORS2 1
#endif
#include "simt/small_float_type.inl"
#include "simt/small_float_arithmetic.inl"
#include "simt/small_float_end.inl"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#ifndef CUDART_INF_FP16
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif
