// Copies from global to shared memory that a GPU makes in the background (cp.async). Here they are done at once.
#pragma once
#include <stddef.h>

#include "cuda_runtime.h"

#ifdef __CUDACC__
// 4, 8 or 16 bytes; the last `zero_bytes` of them are set to zero instead of copied.
SIMT_INLINE void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zero_bytes = 0) {
    if (zero_bytes != 0) {
        for (size_t i = 0; i < bytes; ++i)
            static_cast<char*>(shared)[i] = i < bytes - zero_bytes ? static_cast<const char*>(global)[i] : 0;
    } else if (bytes == 16) {
        *static_cast<float4*>(shared) = *static_cast<const float4*>(global);
    } else if (bytes == 8) {
        *static_cast<float2*>(shared) = *static_cast<const float2*>(global);
    } else {
        *static_cast<float*>(shared) = *static_cast<const float*>(global);
    }
}
SIMT_INLINE void __pipeline_commit() {}
SIMT_INLINE void __pipeline_wait_prior(size_t) {}
#endif
