// The version of CUDA that this backend follows, and the driver API's names for what the runtime API shares with it: handles,
// and errors, whose numbers are the runtime's. There is no driver: its other functions are not declared.
#pragma once
#include "cuda_runtime_api.h"

#define CUDA_VERSION 13000
#define CUDAAPI

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUfunc_st* CUfunction;
typedef struct CUmod_st* CUmodule;

#define SIMT_DRIVER_ERRORS(ERROR)                     \
    ERROR(INVALID_VALUE, 1)                           \
    ERROR(OUT_OF_MEMORY, 2)                           \
    ERROR(NOT_INITIALIZED, 3)                         \
    ERROR(DEINITIALIZED, 4)                           \
    ERROR(NO_DEVICE, 100)                             \
    ERROR(INVALID_DEVICE, 101)                        \
    ERROR(INVALID_IMAGE, 200)                         \
    ERROR(INVALID_CONTEXT, 201)                       \
    ERROR(NO_BINARY_FOR_GPU, 209)                     \
    ERROR(UNSUPPORTED_LIMIT, 215)                     \
    ERROR(PEER_ACCESS_UNSUPPORTED, 217)               \
    ERROR(INVALID_PTX, 218)                           \
    ERROR(INVALID_SOURCE, 300)                        \
    ERROR(FILE_NOT_FOUND, 301)                        \
    ERROR(OPERATING_SYSTEM, 304)                      \
    ERROR(INVALID_HANDLE, 400)                        \
    ERROR(ILLEGAL_STATE, 401)                         \
    ERROR(NOT_FOUND, 500)                             \
    ERROR(NOT_READY, 600)                             \
    ERROR(ILLEGAL_ADDRESS, 700)                       \
    ERROR(LAUNCH_OUT_OF_RESOURCES, 701)               \
    ERROR(LAUNCH_TIMEOUT, 702)                        \
    ERROR(PEER_ACCESS_ALREADY_ENABLED, 704)           \
    ERROR(PEER_ACCESS_NOT_ENABLED, 705)               \
    ERROR(ASSERT, 710)                                \
    ERROR(ILLEGAL_INSTRUCTION, 715)                   \
    ERROR(MISALIGNED_ADDRESS, 716)                    \
    ERROR(LAUNCH_FAILED, 719)                         \
    ERROR(COOPERATIVE_LAUNCH_TOO_LARGE, 720)          \
    ERROR(NOT_PERMITTED, 800)                         \
    ERROR(NOT_SUPPORTED, 801)                         \
    ERROR(UNKNOWN, 999)

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
#define SIMT_ERROR(NAME, VALUE) CUDA_ERROR_##NAME = VALUE,
    SIMT_DRIVER_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
} CUresult;

static inline CUresult cuGetErrorName(CUresult error, const char** name) {
    switch (error) {
        case CUDA_SUCCESS: *name = "CUDA_SUCCESS"; return CUDA_SUCCESS;
#define SIMT_ERROR(NAME, VALUE) \
    case CUDA_ERROR_##NAME: *name = "CUDA_ERROR_" #NAME; return CUDA_SUCCESS;
        SIMT_DRIVER_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
    }
    *name = 0;
    return CUDA_ERROR_INVALID_VALUE;
}
#undef SIMT_DRIVER_ERRORS

static inline CUresult cuGetErrorString(CUresult error, const char** text) {
    CUresult known = cuGetErrorName(error, text);
    if (known == CUDA_SUCCESS) *text = cudaGetErrorString((cudaError_t)error);
    return known;
}
