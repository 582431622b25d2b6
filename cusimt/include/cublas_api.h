// The functions of cuBLAS under the names that cublas_v2.h gives them.
#pragma once
#include "cublas_v2.h"
