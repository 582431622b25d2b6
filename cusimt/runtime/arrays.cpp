// Allocates arrays, and copies rows into and out of them.
#include "arrays.h"

#include <mutex>
#include <set>

#include "host_call.h"

using namespace simt;

namespace {
std::mutex lock;
std::set<const cudaArray*>& live() {
    static auto* arrays = new std::set<const cudaArray*>;
    return *arrays;
}

struct Rows {
    const cudaArray* array;
    size_t x_bytes, y, width, height;
    bool fit() const {
        if (!is_live_array(array) || x_bytes > array->row_bytes() || width > array->row_bytes() - x_bytes) return false;
        size_t rows = array->height() * array->depth();
        return y <= rows && height <= rows - y;
    }
    char* begin() const { return array->at(x_bytes, y, 0); }
    size_t pitch() const { return array->row_bytes(); }
};

cudaError_t to_array(const Rows& rows, const void* from, size_t pitch, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    if (!rows.fit()) return failed(cudaErrorInvalidValue);
    if (waits) return cudaMemcpy2D(rows.begin(), rows.pitch(), from, pitch, rows.width, rows.height, kind);
    return cudaMemcpy2DAsync(rows.begin(), rows.pitch(), from, pitch, rows.width, rows.height, kind, stream);
}

cudaError_t from_array(void* to, size_t pitch, const Rows& rows, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    if (!rows.fit()) return failed(cudaErrorInvalidValue);
    if (waits) return cudaMemcpy2D(to, pitch, rows.begin(), rows.pitch(), rows.width, rows.height, kind);
    return cudaMemcpy2DAsync(to, pitch, rows.begin(), rows.pitch(), rows.width, rows.height, kind, stream);
}

// Elements in a row from (x_bytes, y) on: the rest of that row, whole rows, and the beginning of the last one. Rows are adjacent.
bool holds(const cudaArray* array, size_t x_bytes, size_t y, size_t bytes) {
    if (!is_live_array(array) || x_bytes > array->row_bytes() || y >= array->height()) return false;
    return bytes <= (array->height() - y) * array->row_bytes() - x_bytes;
}
}  // namespace

namespace simt {

bool is_live_array(const cudaArray* array) {
    std::lock_guard guard(lock);
    return live().contains(array);
}

size_t element_bytes(const cudaChannelFormatDesc& channels) {
    int bits = channels.x, count = 1 + (channels.y > 0) + (channels.z > 0) + (channels.w > 0);
    bool are_equal = (count < 2 || channels.y == bits) && (count < 3 || (channels.z == bits && channels.w == bits));
    bool known = bits == 8 || bits == 16 || bits == 32;
    if (!known || !are_equal || count == 3) return 0;
    if (channels.f == cudaChannelFormatKindFloat && bits == 8) return 0;
    if (channels.f < cudaChannelFormatKindSigned || channels.f > cudaChannelFormatKindFloat) return 0;
    return size_t(bits / 8 * count);
}

}  // namespace simt

extern "C" {
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
    if (!channels || !is_live_array(array)) return failed(cudaErrorInvalidValue);
    *channels = array->channels;
    return cudaSuccess;
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned int flags) {
    if (!array || !channels || extent.width == 0) return failed(cudaErrorInvalidValue);
    if (flags & (cudaArrayCubemap | ~15u)) return failed(cudaErrorNotSupported);
    if (extent.depth && !extent.height && !(flags & cudaArrayLayered)) return failed(cudaErrorInvalidValue);
    size_t element = element_bytes(*channels);
    if (!element) return failed(cudaErrorInvalidChannelDescriptor);
    cudaArray made{*channels, extent, flags, element, nullptr};
    size_t bytes;
    bool wraps = __builtin_mul_overflow(made.row_bytes(), made.height(), &bytes);
    wraps |= __builtin_mul_overflow(bytes, made.depth(), &bytes);
    void* memory = nullptr;
    if (cudaError_t error = cudaMalloc(&memory, wraps ? SIZE_MAX : bytes)) return error;
    made.memory = static_cast<char*>(memory);
    *array = new cudaArray(made);
    std::lock_guard guard(lock);
    live().insert(*array);
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width, size_t height,
                            unsigned int flags) {
    return cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (!array) return cudaSuccess;
    if (!is_live_array(array)) return failed(cudaErrorInvalidValue);
    {
        std::lock_guard guard(lock);
        live().erase(array);
    }
    cudaError_t error = cudaFree(array->memory);
    delete array;
    return error;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned int* flags, cudaArray_t array) {
    if (!is_live_array(array)) return failed(cudaErrorInvalidValue);
    if (channels) *channels = array->channels;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    return to_array({to, x_bytes, y, width, height}, from, pitch, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return to_array({to, x_bytes, y, width, height}, from, pitch, kind, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
    return from_array(to, pitch, {from, x_bytes, y, width, height}, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return from_array(to, pitch, {from, x_bytes, y, width, height}, kind, stream, false);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from, size_t x_bytes,
                                     size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    Rows source{from, x_bytes, y, width, height};
    if (!source.fit()) return failed(cudaErrorInvalidValue);
    return to_array({to, to_x_bytes, to_y, width, height}, source.begin(), source.pitch(), kind, nullptr, true);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (!holds(to, x_bytes, y, bytes)) return failed(cudaErrorInvalidValue);
    return cudaMemcpy(to->at(x_bytes, y, 0), from, bytes, kind);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes, cudaMemcpyKind kind) {
    if (!holds(from, x_bytes, y, bytes)) return failed(cudaErrorInvalidValue);
    return cudaMemcpy(to, from->at(x_bytes, y, 0), bytes, kind);
}
}
