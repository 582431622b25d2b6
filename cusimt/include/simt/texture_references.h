// Texture references (`texture<float, 2> image;`), which CUDA 12 removed and older programs use. Binding one makes a texture
// object; what a program changes of a reference later counts from its next binding.
#pragma once
#include "simt/channel_descriptions.h"
#include "simt_api.h"

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB = 0;
    mutable cudaTextureObject_t simt_object = 0;
    cudaTextureReadMode simt_read_mode = cudaReadModeElementType;
};
template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
    texture(int normalized_ = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(normalized_, filter, address, cudaCreateChannelDesc<T>()) {}
    texture(int normalized_, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc channels)
        : textureReference{normalized_, filter, {address, address, address}, channels} {
        simt_read_mode = mode;
    }
};

namespace simt {
inline cudaError_t bind(const textureReference& reference, const cudaResourceDesc& resource) {
    cudaTextureDesc description = {};
    for (int i = 0; i < 3; ++i) description.addressMode[i] = reference.addressMode[i];
    description.filterMode = reference.filterMode;
    description.readMode = reference.simt_read_mode;
    description.sRGB = reference.sRGB;
    description.normalizedCoords = reference.normalized;
    if (reference.simt_object) cudaDestroyTextureObject(reference.simt_object);
    reference.simt_object = 0;
    return cudaCreateTextureObject(&reference.simt_object, &resource, &description, nullptr);
}

// Memory of a texture begins at a multiple of 512 bytes: the distance from there goes to `offset`.
inline char* aligned(const void* pointer, size_t* offset) {
    size_t beyond = reinterpret_cast<size_t>(pointer) % 512;
    if (offset) *offset = beyond;
    return static_cast<char*>(const_cast<void*>(pointer)) - (offset ? beyond : 0);
}
inline size_t rest_of_allocation(const void* pointer) {
    void* base = nullptr;
    size_t bytes = 0;
    if (!simt_allocation(pointer, &base, &bytes)) return 0;
    return bytes - size_t(static_cast<const char*>(pointer) - static_cast<const char*>(base));
}
}  // namespace simt

// As in CUDA, the functions of C++ take references and the number of bytes last, those of C take pointers.
inline cudaError_t cudaBindTexture(size_t* offset, const textureReference& reference, const void* pointer,
                                   const cudaChannelFormatDesc& channels, size_t bytes = ~0u) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    char* begin = simt::aligned(pointer, offset);
    resource.res.linear.devPtr = begin;
    resource.res.linear.desc = channels;
    const size_t beyond = size_t(static_cast<const char*>(pointer) - begin), rest = simt::rest_of_allocation(pointer);
    resource.res.linear.sizeInBytes = beyond + (bytes == ~0u ? rest : bytes);
    return simt::bind(reference, resource);
}
inline cudaError_t cudaBindTexture(size_t* offset, const textureReference& reference, const void* pointer, size_t bytes = ~0u) {
    return cudaBindTexture(offset, reference, pointer, reference.channelDesc, bytes);
}
inline cudaError_t cudaBindTexture(size_t* offset, const textureReference* reference, const void* pointer,
                                   const cudaChannelFormatDesc* channels, size_t bytes = ~0u) {
    return cudaBindTexture(offset, *reference, pointer, *channels, bytes);
}
inline cudaError_t cudaBindTexture2D(size_t* offset, const textureReference& reference, const void* pointer,
                                     const cudaChannelFormatDesc& channels, size_t width, size_t height, size_t pitch) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = simt::aligned(pointer, offset);
    resource.res.pitch2D.desc = channels;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return simt::bind(reference, resource);
}
inline cudaError_t cudaBindTexture2D(size_t* offset, const textureReference& reference, const void* pointer, size_t width,
                                     size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, reference, pointer, reference.channelDesc, width, height, pitch);
}
inline cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* reference, const void* pointer,
                                     const cudaChannelFormatDesc* channels, size_t width, size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, *reference, pointer, *channels, width, height, pitch);
}
inline cudaError_t cudaBindTextureToArray(const textureReference& reference, cudaArray_const_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = const_cast<cudaArray_t>(array);
    return simt::bind(reference, resource);
}
inline cudaError_t cudaBindTextureToArray(const textureReference& reference, cudaArray_const_t array,
                                          const cudaChannelFormatDesc&) {
    return cudaBindTextureToArray(reference, array);
}
inline cudaError_t cudaBindTextureToArray(const textureReference* reference, cudaArray_const_t array,
                                          const cudaChannelFormatDesc*) {
    return cudaBindTextureToArray(*reference, array);
}
inline cudaError_t cudaUnbindTexture(const textureReference& reference) {
    const cudaTextureObject_t object = reference.simt_object;
    reference.simt_object = 0;
    return object ? cudaDestroyTextureObject(object) : cudaSuccess;
}
inline cudaError_t cudaUnbindTexture(const textureReference* reference) { return cudaUnbindTexture(*reference); }
// `symbol` is the address of a texture reference.
inline cudaError_t cudaGetTextureReference(const textureReference** reference, const void* symbol) {
    *reference = static_cast<const textureReference*>(symbol);
    return symbol ? cudaSuccess : cudaErrorInvalidTexture;
}

#ifdef __CUDACC__
#include "simt/texture_functions.h"

namespace simt {
// A reference is a variable of the host, and a kernel may read this of it.
SIMT_HOST inline __attribute__((noinline)) cudaTextureObject_t object_of(const textureReference& reference) {
    return reference.simt_object;
}
template <int count>
struct floats;
template <>
struct floats<1> {
    typedef float type;
};
template <>
struct floats<2> {
    typedef float2 type;
};
template <>
struct floats<4> {
    typedef float4 type;
};
template <class T, cudaTextureReadMode mode>
struct read_as {
    typedef T type;
};
template <class T>
struct read_as<T, cudaReadModeNormalizedFloat> {
    typedef typename floats<channels_of<T>::count>::type type;
};
}  // namespace simt

#define SIMT_TEXTURE(NAME, PARAMETERS, ARGUMENTS)                                                                 \
    template <class T, int type, cudaTextureReadMode mode>                                                        \
    SIMT_INLINE typename simt::read_as<T, mode>::type NAME(const texture<T, type, mode>& reference, PARAMETERS) { \
        return NAME<typename simt::read_as<T, mode>::type>(simt::object_of(reference), ARGUMENTS);                \
    }
#define SIMT_AND ,
SIMT_TEXTURE(tex1Dfetch, int x, x)
SIMT_TEXTURE(tex1D, float x, x)
SIMT_TEXTURE(tex2D, float x SIMT_AND float y, x SIMT_AND y)
SIMT_TEXTURE(tex3D, float x SIMT_AND float y SIMT_AND float z, x SIMT_AND y SIMT_AND z)
SIMT_TEXTURE(tex1DLayered, float x SIMT_AND int layer, x SIMT_AND layer)
SIMT_TEXTURE(tex2DLayered, float x SIMT_AND float y SIMT_AND int layer, x SIMT_AND y SIMT_AND layer)
#undef SIMT_AND
#undef SIMT_TEXTURE
#endif
