// Jumps of the XORWOW generator. A step is a linear map of 160 bits, so a jump by n steps is the n-th power of its matrix:
// the powers with exponents 1, 2, 4, ... are computed once, by squaring.
#include <algorithm>
#include <array>
#include <memory>

#include "simt_api.h"

namespace {
constexpr int kWords = 5, kBits = 32 * kWords;
constexpr int kPowers = 67 + 64;  // as many as jumps by a 64-bit number of subsequences of 2^67 steps need

using Vector = std::array<uint32_t, kWords>;
using Matrix = std::array<Vector, kBits>;  // column b is the image of bit b

Vector step(Vector v) {
    uint32_t t = v[0] ^ v[0] >> 2;
    return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}

Vector times(const Matrix& matrix, const Vector& vector) {
    Vector product{};
    for (int bit = 0; bit < kBits; ++bit)
        if (vector[bit / 32] >> (bit % 32) & 1)
            for (int word = 0; word < kWords; ++word) product[word] ^= matrix[bit][word];
    return product;
}

using Powers = std::array<Matrix, kPowers>;

std::unique_ptr<Powers> powers_of_step() {
    auto powers = std::make_unique<Powers>();
    for (int bit = 0; bit < kBits; ++bit) {
        Vector one{};
        one[bit / 32] = 1u << (bit % 32);
        (*powers)[0][bit] = step(one);
    }
    for (int k = 1; k < kPowers; ++k)
        for (int bit = 0; bit < kBits; ++bit) (*powers)[k][bit] = times((*powers)[k - 1], (*powers)[k - 1][bit]);
    return powers;
}
}  // namespace

extern "C" void simt_xorwow_ahead(uint32_t state[5], uint64_t n, int log2_unit) {
    if (n == 0) return;
    static const std::unique_ptr<Powers> powers = powers_of_step();
    Vector vector;
    std::copy(state, state + kWords, vector.begin());
    for (int k = log2_unit; n != 0; ++k, n >>= 1)
        if (n & 1) vector = times((*powers)[k], vector);
    std::copy(vector.begin(), vector.end(), state);
}
