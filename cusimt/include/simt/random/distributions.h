// From random words to numbers: uniform in (0, 1], normal by Box and Muller, log-normal. The formulas are those that cuRAND's
// documentation and headers give, down to which word goes where; sine and logarithm are the host's.
#pragma once
#include <math.h>

#include "simt/random/philox.h"
#include "simt/random/xorwow.h"

namespace simt {

template <class State>
concept random_state = requires(State* state) {
    curand(state);
    state->boxmuller_extra;
};

SIMT_INLINE float uniform_of(unsigned int word) { return static_cast<float>(word) * 0x1p-32f + 0x1p-33f; }
SIMT_INLINE double uniform_of(unsigned int low, unsigned int high) {
    uint64_t bits = static_cast<uint64_t>(high) << 21 ^ low;
    return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

// Two normal numbers from two words (four for doubles).
SIMT_INLINE float2 normals_of(unsigned int radius, unsigned int angle) {
    constexpr float turn = 0x1p-32f * 6.2831855f;
    float s = sqrtf(-2.0f * logf(uniform_of(radius))), v = static_cast<float>(angle) * turn + turn / 2;
    return float2{s * sinf(v), s * cosf(v)};
}
SIMT_INLINE double2 normals_of(unsigned int radius_low, unsigned int radius_high, unsigned int angle_low,
                               unsigned int angle_high) {
    double s = sqrt(-2.0 * log(uniform_of(radius_low, radius_high)));
    double v = 2.0 * M_PI * uniform_of(angle_low, angle_high);
    return double2{s * sin(v), s * cos(v)};
}

// Box and Muller's method makes pairs. The second number is kept in the state for the next call of the same kind.
enum kept_number { kept_none, kept_normal, kept_log_normal };
template <class T, class Pair>
SIMT_INLINE T one_of_pair(int& flag, T& extra, int kind, Pair make) {
    if (flag == kind) {
        flag = kept_none;
        return extra;
    }
    auto pair = make();
    extra = pair.y, flag = kind;
    return pair.x;
}

}  // namespace simt

// ---- uniform ----
template <simt::random_state State>
SIMT_INLINE float curand_uniform(State* state) {
    return simt::uniform_of(curand(state));
}
SIMT_INLINE double curand_uniform_double(curandStateXORWOW_t* state) {
    unsigned int low = curand(state), high = curand(state);
    return simt::uniform_of(low, high);
}
// Of one word: the two below have all bits of a double.
SIMT_INLINE double curand_uniform_double(curandStatePhilox4_32_10_t* state) { return curand(state) * 0x1p-32 + 0x1p-32; }
SIMT_INLINE float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
    uint4 w = curand4(state);
    return float4{simt::uniform_of(w.x), simt::uniform_of(w.y), simt::uniform_of(w.z), simt::uniform_of(w.w)};
}
SIMT_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
    uint4 w = curand4(state);
    return double2{simt::uniform_of(w.x, w.y), simt::uniform_of(w.z, w.w)};
}
SIMT_INLINE double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
    double2 first = curand_uniform2_double(state), second = curand_uniform2_double(state);
    return double4{first.x, first.y, second.x, second.y};
}

// ---- normal: mean 0, deviation 1 ----
template <simt::random_state State>
SIMT_INLINE float2 curand_normal2(State* state) {
    unsigned int radius = curand(state), angle = curand(state);
    return simt::normals_of(radius, angle);
}
template <simt::random_state State>
SIMT_INLINE double2 curand_normal2_double(State* state) {
    unsigned int a = curand(state), b = curand(state), c = curand(state), d = curand(state);
    return simt::normals_of(a, b, c, d);
}
template <simt::random_state State>
SIMT_INLINE float curand_normal(State* state) {
    return simt::one_of_pair(state->boxmuller_flag, state->boxmuller_extra, simt::kept_normal,
                             [&]() { return curand_normal2(state); });
}
template <simt::random_state State>
SIMT_INLINE double curand_normal_double(State* state) {
    return simt::one_of_pair(state->boxmuller_flag_double, state->boxmuller_extra_double, simt::kept_normal,
                             [&]() { return curand_normal2_double(state); });
}
SIMT_INLINE float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
    uint4 w = curand4(state);
    float2 first = simt::normals_of(w.x, w.y), second = simt::normals_of(w.z, w.w);
    return float4{first.x, first.y, second.x, second.y};
}
SIMT_INLINE double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
    double2 first = curand_normal2_double(state), second = curand_normal2_double(state);
    return double4{first.x, first.y, second.x, second.y};
}

// ---- log-normal: exp of a normal number of that mean and deviation ----
template <simt::random_state State>
SIMT_INLINE float2 curand_log_normal2(State* state, float mean, float deviation) {
    float2 n = curand_normal2(state);
    return float2{expf(mean + deviation * n.x), expf(mean + deviation * n.y)};
}
template <simt::random_state State>
SIMT_INLINE double2 curand_log_normal2_double(State* state, double mean, double deviation) {
    double2 n = curand_normal2_double(state);
    return double2{exp(mean + deviation * n.x), exp(mean + deviation * n.y)};
}
template <simt::random_state State>
SIMT_INLINE float curand_log_normal(State* state, float mean, float deviation) {
    return simt::one_of_pair(state->boxmuller_flag, state->boxmuller_extra, simt::kept_log_normal,
                             [&]() { return curand_log_normal2(state, mean, deviation); });
}
template <simt::random_state State>
SIMT_INLINE double curand_log_normal_double(State* state, double mean, double deviation) {
    return simt::one_of_pair(state->boxmuller_flag_double, state->boxmuller_extra_double, simt::kept_log_normal,
                             [&]() { return curand_log_normal2_double(state, mean, deviation); });
}
SIMT_INLINE float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
    float4 n = curand_normal4(state);
    return float4{expf(mean + deviation * n.x), expf(mean + deviation * n.y), expf(mean + deviation * n.z),
                  expf(mean + deviation * n.w)};
}
