// The heap of kernels: malloc, free, new and delete in device code. Each device has one, whose size cudaDeviceSetLimit sets.
//
// Its memory is in the device's region, among the allocations of the host, and so it is checked like theirs. It lives until a
// kernel frees it or the device is reset. The runtime API takes no pointer to it.
#pragma once
#include <stddef.h>

namespace simt {

size_t heap_limit();
int set_heap_limit(size_t bytes);  // 0, or cudaErrorInvalidValue once a kernel has used the heap
void empty_heap(int device);

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
// Null where the heap has no room for so many bytes, or for 0 of them. On a fiber only.
void* simt_heap_allocate(size_t bytes);
// `call`: "free" or "delete", for findings. On a fiber only.
void simt_heap_release(void* pointer, const char* call, const void* pc);
}
#pragma GCC visibility pop
