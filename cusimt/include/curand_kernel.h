// cuRAND in kernels: Philox and XORWOW, with the numbers that cuRAND gives. There is no MRG32k3a, MTGP32 or Sobol generator
// and no Poisson distribution: their names are not declared.
#pragma once
#include "cuda_runtime.h"
#include "simt/random/states.h"
#ifdef __CUDACC__
#include "simt/random/distributions.h"
#endif
