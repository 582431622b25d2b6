// cudaCreateChannelDesc<T>: the channels of an element of type T, as arrays and textures hold it.
#pragma once
#include "cuda_runtime_api.h"
#include "vector_types.h"

namespace simt {
template <class T>
struct channels_of {  // a scalar is an element of one channel
    typedef T component;
    static constexpr int count = 1;
};
#define SIMT_CHANNELS(PREFIX, T) \
    SIMT_CHANNELS_OF(PREFIX##1, T, 1) SIMT_CHANNELS_OF(PREFIX##2, T, 2) SIMT_CHANNELS_OF(PREFIX##4, T, 4)
#define SIMT_CHANNELS_OF(NAME, T, COUNT)    \
    template <>                             \
    struct channels_of<NAME> {              \
        typedef T component;                \
        static constexpr int count = COUNT; \
    };
SIMT_CHANNELS(char, signed char)
SIMT_CHANNELS(uchar, unsigned char)
SIMT_CHANNELS(short, short)
SIMT_CHANNELS(ushort, unsigned short)
SIMT_CHANNELS(int, int)
SIMT_CHANNELS(uint, unsigned int)
SIMT_CHANNELS(float, float)
#undef SIMT_CHANNELS_OF
#undef SIMT_CHANNELS

template <class T>
struct is_float {
    static constexpr bool value = false;
};
template <>
struct is_float<float> {
    static constexpr bool value = true;
};
}  // namespace simt

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef typename simt::channels_of<T>::component component;
    const int bits = int(8 * sizeof(component)), count = simt::channels_of<T>::count;
    const bool is_signed = component(-1) < component(0);
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            simt::is_float<component>::value ? cudaChannelFormatKindFloat
            : is_signed                      ? cudaChannelFormatKindSigned
                                             : cudaChannelFormatKindUnsigned};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return {16, 16, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return {16, 16, 16, 16, cudaChannelFormatKindFloat}; }
