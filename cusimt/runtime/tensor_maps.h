// Tensor maps (CUtensorMap): a tensor in global memory, the box that a copy moves, and how the box lies in shared memory.
//
// Boxes are dense there, the first dimension innermost, and may begin and end outside of the tensor: what lies outside is filled
// on the way in, and not written on the way out, but for what completes the last 16 bytes of a row. A swizzle exchanges the
// 16-byte units of 128 bytes, by the number of the 128 bytes: of bits 4 to 6 of an address the lowest one, two or three are combined by exclusive or with those from bit 7 on.
#pragma once
#include <stdint.h>

#include "bulk_copies.h"
#include "cuda.h"

namespace simt {

constexpr unsigned kMostDimensions = 5;

// As it lies in a CUtensorMap; `magic` tells one from other memory.
struct TensorMap {
    uint64_t magic;
    uint64_t address;
    uint64_t dimensions[kMostDimensions];   // elements
    uint64_t strides[kMostDimensions - 1];  // bytes, from the second dimension on
    uint16_t box[kMostDimensions];          // elements of the tensor
    uint8_t steps[kMostDimensions];         // of which every so many-th is copied
    uint8_t rank, element_bytes, swizzle, fill;

    uint32_t extent(unsigned dimension) const { return (box[dimension] + steps[dimension] - 1u) / steps[dimension]; }
    uint32_t box_bytes() const;
    bool is_valid() const;
    // The strips of a box at these coordinates: in shared memory from `shared` on.
    std::vector<Strip> load(const int32_t* coordinates, uintptr_t shared) const;
    std::vector<Strip> store(const int32_t* coordinates, uintptr_t shared) const;
};
static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap), "a tensor map has 128 bytes");

}  // namespace simt
