// What calls of the runtime API and of the driver API do alike, under the name of the call that the program made.
#pragma once
#include <stddef.h>

#include "cuda_runtime_api.h"

namespace simt {

cudaError_t allocate_memory(const char* call, void** pointer, size_t bytes);
cudaError_t free_memory(const char* call, void* pointer, const void* call_site);
cudaError_t copy_memory(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t copy_memory_async(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                              cudaStream_t stream);
cudaError_t fill_memory(const char* call, const cudaMemsetParams& memset, cudaStream_t stream, bool is_synchronous);

}  // namespace simt
