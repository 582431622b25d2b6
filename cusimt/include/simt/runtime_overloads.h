// The C++ side of the runtime API: overloads that take typed pointers, symbols and kernels.
#pragma once
#include <stddef.h>

#include <utility>  // from here programs have std::move, as with CUDA

#include "cuda_runtime_api.h"
#include "simt/qualifiers.h"

// ---- memory ----
// Whatever the elements are, `const` or not.
template <class T>
inline void** simt_untyped(T** pointer) {
    return (void**)pointer;
}
template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc(simt_untyped(pointer), bytes);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(simt_untyped(pointer), bytes, stream);
}
template <class T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch(simt_untyped(pointer), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged(simt_untyped(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0) {
    return cudaHostAlloc(simt_untyped(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
    return cudaHostAlloc(simt_untyped(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned int flags) {
    return cudaHostGetDevicePointer(simt_untyped(device_pointer), host_pointer, flags);
}

// ---- symbols: variables declared __constant__ or __device__ ----
template <class T>
inline const void* simt_symbol(const T& symbol) {
    return &reinterpret_cast<const char&>(symbol);
}
template <class T>
struct simt_extent {
    static constexpr size_t bytes = sizeof(T);
};
template <class T>
struct simt_extent<T[]> {  // a declaration may leave the size open
    static constexpr size_t bytes = ~size_t(0);
};
// The runtime knows where the variables of a file end, the type where this one does: what leaves it is outside of them all.
template <class T>
inline size_t simt_offset(size_t offset, size_t bytes) {
    const size_t all = simt_extent<T>::bytes;
    return offset > all || bytes > all - offset ? ~size_t(0) : offset;
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(simt_symbol(symbol), from, bytes, simt_offset<T>(offset, bytes), kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, simt_symbol(symbol), bytes, simt_offset<T>(offset, bytes), kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
    return cudaMemcpyToSymbolAsync(simt_symbol(symbol), from, bytes, simt_offset<T>(offset, bytes), kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
    return cudaMemcpyFromSymbolAsync(to, simt_symbol(symbol), bytes, simt_offset<T>(offset, bytes), kind, stream);
}
template <class P, class T>
inline cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
    return cudaGetSymbolAddress(simt_untyped(pointer), simt_symbol(symbol));
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    void* address;  // the runtime knows where symbols are, the type how large
    cudaError_t error = bytes ? cudaGetSymbolAddress(&address, simt_symbol(symbol)) : cudaErrorInvalidValue;
    if (error == cudaSuccess) *bytes = sizeof symbol;
    return error;
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) { return cudaEventCreateWithFlags(event, flags); }

#include "simt/graph_overloads.h"
