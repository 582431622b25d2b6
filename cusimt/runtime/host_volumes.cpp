// cudaMemcpy3D and cudaMemset3D: slice by slice, as cudaMemcpy2D and cudaMemset2D.
#include "host_call.h"

using namespace simt;

namespace {
char* at(const cudaPitchedPtr& memory, const cudaPos& position) {
    size_t row = position.z * memory.ysize + position.y;
    return static_cast<char*>(memory.ptr) + row * memory.pitch + position.x;
}

cudaError_t copy_slices(const cudaMemcpy3DParms* copy, cudaStream_t stream, bool waits) {
    if (!copy) return failed(cudaErrorInvalidValue);
    if (copy->srcArray || copy->dstArray) return failed(cudaErrorNotSupported);
    const cudaExtent& extent = copy->extent;
    for (size_t slice = 0; slice < extent.depth; ++slice) {
        cudaPos from = copy->srcPos, to = copy->dstPos;
        from.z += slice;
        to.z += slice;
        cudaError_t error = cudaMemcpy2DAsync(at(copy->dstPtr, to), copy->dstPtr.pitch, at(copy->srcPtr, from),
                                              copy->srcPtr.pitch, extent.width, extent.height, copy->kind, stream);
        if (error != cudaSuccess) return error;
    }
    return waits ? cudaStreamSynchronize(stream) : cudaSuccess;
}

// Devices reach each other's memory, so a copy between two of them is one like any other.
cudaError_t copy_slices(const cudaMemcpy3DPeerParms* peer, cudaStream_t stream, bool waits) {
    if (!peer) return failed(cudaErrorInvalidValue);
    int last = 0;
    cudaGetDeviceCount(&last);
    if (peer->srcDevice < 0 || peer->srcDevice >= last || peer->dstDevice < 0 || peer->dstDevice >= last)
        return failed(cudaErrorInvalidDevice);
    cudaMemcpy3DParms copy = {peer->srcArray, peer->srcPos, peer->srcPtr, peer->dstArray,
                              peer->dstPos,   peer->dstPtr, peer->extent, cudaMemcpyDefault};
    return copy_slices(&copy, stream, waits);
}
}  // namespace

extern "C" {
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
    if (!pitched) return failed(cudaErrorInvalidValue);
    *pitched = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) { return copy_slices(copy, nullptr, true); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) { return copy_slices(copy, stream, false); }

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* copy) { return copy_slices(copy, nullptr, true); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* copy, cudaStream_t stream) {
    return copy_slices(copy, stream, false);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream) {
    for (size_t slice = 0; slice < extent.depth; ++slice) {
        char* first = at(memory, {0, 0, slice});
        cudaError_t error = cudaMemset2DAsync(first, memory.pitch, value, extent.width, extent.height, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
    return cudaMemset3DAsync(memory, value, extent, nullptr);
}
}
