// The extended interface of cuFFT, of which nothing is simulated: a call is refused by its name.
#pragma once
#include "cufft.h"

#ifdef __cplusplus
#define SIMT_MISSING_FFT(NAME) SIMT_MISSING("cuFFT", cufftResult, NAME)
SIMT_MISSING_FFT(cufftXtMakePlanMany)
SIMT_MISSING_FFT(cufftXtExec)
SIMT_MISSING_FFT(cufftXtExecDescriptor)
SIMT_MISSING_FFT(cufftXtSetGPUs)
SIMT_MISSING_FFT(cufftXtMalloc)
SIMT_MISSING_FFT(cufftXtMemcpy)
SIMT_MISSING_FFT(cufftXtFree)
SIMT_MISSING_FFT(cufftXtSetCallback)
SIMT_MISSING_FFT(cufftXtSetJITCallback)
SIMT_MISSING_FFT(cufftXtClearCallback)
#undef SIMT_MISSING_FFT
#endif
