// Fetches from texture objects. The runtime computes them (runtime/textures.cpp); here a texel gets its type.
#pragma once
#include <string.h>

#include "simt/channel_descriptions.h"
#include "simt/qualifiers.h"
#include "simt_api.h"

namespace simt {
template <class C>
SIMT_INLINE C channel(unsigned int word) {
    return C(word);
}
template <>
SIMT_INLINE float channel<float>(unsigned int word) {
    return __builtin_bit_cast(float, word);
}

template <class T>
SIMT_INLINE T element(const unsigned int* texel) {
    typedef typename channels_of<T>::component component;
    constexpr int count = channels_of<T>::count;
    if constexpr (count == 4) {
        return T{channel<component>(texel[0]), channel<component>(texel[1]), channel<component>(texel[2]),
                 channel<component>(texel[3])};
    } else if constexpr (count == 2) {
        return T{channel<component>(texel[0]), channel<component>(texel[1])};
    } else {
        return T{channel<component>(texel[0])};
    }
}

template <class T>
SIMT_INLINE T fetched(cudaTextureObject_t texture, int index) {
    unsigned int texel[4];
    simt_texture_fetch(texture, index, texel);
    return element<T>(texel);
}
template <class T>
SIMT_INLINE T sampled(cudaTextureObject_t texture, const simt_texture_place& place) {
    unsigned int texel[4];
    simt_texture_sample(texture, &place, texel);
    return element<T>(texel);
}
}  // namespace simt

// Each function also has the older form that stores what it read.
#define SIMT_TEXTURE(NAME, PARAMETERS, ARGUMENTS, READ)             \
    template <class T>                                              \
    SIMT_INLINE T NAME PARAMETERS {                                 \
        return READ;                                                \
    }                                                               \
    template <class T>                                              \
    SIMT_INLINE void NAME(T* value, SIMT_TEXTURE_REST PARAMETERS) { \
        *value = NAME<T> ARGUMENTS;                                 \
    }
#define SIMT_TEXTURE_REST(...) __VA_ARGS__
SIMT_TEXTURE(tex1Dfetch, (cudaTextureObject_t texture, int x), (texture, x), (simt::fetched<T>(texture, x)))
SIMT_TEXTURE(tex1D, (cudaTextureObject_t texture, float x), (texture, x), (simt::sampled<T>(texture, {1, x, 0, 0})))
SIMT_TEXTURE(tex2D, (cudaTextureObject_t texture, float x, float y), (texture, x, y), (simt::sampled<T>(texture, {2, x, y, 0})))
SIMT_TEXTURE(tex3D, (cudaTextureObject_t texture, float x, float y, float z), (texture, x, y, z),
             (simt::sampled<T>(texture, {3, x, y, z})))
SIMT_TEXTURE(tex1DLayered, (cudaTextureObject_t texture, float x, int layer), (texture, x, layer),
             (simt::sampled<T>(texture, {1 | SIMT_LAYER, x, 0, float(layer)})))
SIMT_TEXTURE(tex2DLayered, (cudaTextureObject_t texture, float x, float y, int layer), (texture, x, y, layer),
             (simt::sampled<T>(texture, {2 | SIMT_LAYER, x, y, float(layer)})))
#undef SIMT_TEXTURE
#undef SIMT_TEXTURE_REST
