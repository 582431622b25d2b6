// cudaMemcpy3D and cudaMemset3D: slice by slice, as cudaMemcpy2D and cudaMemset2D.
#include "arrays.h"
#include "captures.h"
#include "host_call.h"

using namespace simt;

namespace {
// One side of a copy, with positions in bytes.
struct Side {
    cudaPitchedPtr memory;
    cudaPos position;
    size_t element = 1;  // bytes in one unit of its width

    Side(cudaArray_t array, const cudaPos& given, const cudaPitchedPtr& linear) : memory(linear), position(given) {
        if (!array) return;
        memory = {array->memory, array->row_bytes(), array->row_bytes(), array->height()};
        element = array->element;
        position.x *= element;
    }
};

// Whether the box is within an array; linear memory is looked at by the copies.
bool fits(cudaArray_t array, const cudaPos& at, const cudaExtent& extent) {
    if (!array) return true;
    auto within = [](size_t begin, size_t count, size_t size) { return begin <= size && count <= size - begin; };
    return is_live_array(array) && within(at.x, extent.width, array->width()) && within(at.y, extent.height, array->height()) &&
           within(at.z, extent.depth, array->depth());
}

char* at(const cudaPitchedPtr& memory, const cudaPos& position) {
    size_t row = position.z * memory.ysize + position.y;
    return static_cast<char*>(memory.ptr) + row * memory.pitch + position.x;
}

// Calls `move` with the rows of each slice, until one answers an error.
template <class Move>
int for_each_slice(const cudaMemcpy3DParms* copy, Move move) {
    if (!copy) return failed(cudaErrorInvalidValue);
    const cudaExtent& extent = copy->extent;
    if (!fits(copy->srcArray, copy->srcPos, extent) || !fits(copy->dstArray, copy->dstPos, extent)) {
        return failed(cudaErrorInvalidValue);
    }
    Side from(copy->srcArray, copy->srcPos, copy->srcPtr), to(copy->dstArray, copy->dstPos, copy->dstPtr);
    if (copy->srcArray && copy->dstArray && from.element != to.element) return failed(cudaErrorInvalidValue);
    size_t width = extent.width * (copy->srcArray ? from.element : to.element);
    for (size_t slice = 0; slice < extent.depth; ++slice, ++from.position.z, ++to.position.z) {
        if (int error = move(at(to.memory, to.position), to.memory.pitch, at(from.memory, from.position), from.memory.pitch,
                             width, extent.height, copy->kind)) {
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t copy_slices(const cudaMemcpy3DParms* copy, cudaStream_t stream, bool waits) {
    Fate fate = waits ? Fate{refuse_synchronous_call()} : fate_of_work(stream);
    if (fate.error) return failed(fate.error);
    if (fate.captured) {
        int refused = copy ? refuse_copy(*copy) : int(cudaErrorInvalidValue);
        return failed(refused ? refused : capture(*fate.captured, *copy));
    }
    int error = for_each_slice(copy, [&](auto... rows) { return cudaMemcpy2DAsync(rows..., stream); });
    return error || !waits ? cudaError_t(error) : cudaStreamSynchronize(stream);
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

int simt::refuse_copy(const cudaMemcpy3DParms& copy) {
    if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    return for_each_slice(&copy, [](auto... rows) { return refuse_rows(rows...); });
}

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
