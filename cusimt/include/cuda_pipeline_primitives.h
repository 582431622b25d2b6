// Copies from global to shared memory that a GPU makes in the background (cp.async). The bytes arrive at the wait.
#pragma once
#include <stddef.h>

#include "cuda_awbarrier_primitives.h"
#include "cuda_runtime.h"

#ifdef __CUDACC__
// 4, 8 or 16 bytes; the last `zero_bytes` of them are set to zero instead of copied.
SIMT_INLINE void __pipeline_memcpy_async(void* __restrict__ shared, const void* __restrict__ global, size_t bytes,
                                         size_t zero_bytes = 0, const char* file = __builtin_FILE(),
                                         int line = __builtin_LINE()) {
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_bytes > bytes)
        simt_trap("__pipeline_memcpy_async copies 4, 8 or 16 bytes", file, line);
    simt_async_copy(shared, global, static_cast<unsigned>(bytes), static_cast<unsigned>(zero_bytes));
}
SIMT_INLINE void __pipeline_commit() { simt_async_commit(); }
SIMT_INLINE void __pipeline_wait_prior(size_t prior) { simt_async_wait(static_cast<unsigned>(prior)); }
SIMT_INLINE void __pipeline_arrive_on(__mbarrier_t* barrier) { simt_async_attach(barrier); }
#endif
