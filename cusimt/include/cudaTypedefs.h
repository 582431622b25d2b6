// Types of pointers to functions of the driver, as cudaGetDriverEntryPoint finds them: those of tensor maps. Names without a
// version are of CUDA 12; 13 has none.
#pragma once
#include "cuda.h"

typedef CUresult(CUDAAPI* PFN_cuTensorMapEncodeTiled_v12000)(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                                             void* address, const cuuint64_t* dimensions,
                                                             const cuuint64_t* strides, const cuuint32_t* box,
                                                             const cuuint32_t* element_strides,
                                                             CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
typedef CUresult(CUDAAPI* PFN_cuTensorMapReplaceAddress_v12000)(CUtensorMap* map, void* address);
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;
typedef PFN_cuTensorMapReplaceAddress_v12000 PFN_cuTensorMapReplaceAddress;
