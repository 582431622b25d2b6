#include "tensor_maps.h"

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <utility>

namespace simt {

namespace {
constexpr uint64_t kMagic = 0x70616d20726f736eull;

class Strips {
  public:
    Strips(const TensorMap& map, uintptr_t shared, bool fills) : map_(map), shared_(shared), fills_(fills) {}

    // The next bytes of the box; `global` 0: outside of the tensor.
    void add(uintptr_t global, uint32_t bytes) {
        const uint32_t most = map_.swizzle ? kBulkUnit : bytes;
        for (uint32_t part; bytes > 0; bytes -= part) {
            part = std::min(bytes, most - uint32_t(at_ % most));
            if (global || fills_) append({shared_address(), global, part});
            at_ += part;
            if (global) global += part;
        }
    }
    std::vector<Strip> take() { return std::move(strips_); }

  private:
    uintptr_t shared_address() const {
        const uintptr_t address = shared_ + at_, mask = (1u << map_.swizzle) - 1;
        return address ^ (address >> 7 & mask) << 4;
    }
    void append(Strip strip) {
        if (!strips_.empty()) {
            Strip& last = strips_.back();
            const bool goes_on = strip.from ? last.from && last.from + last.bytes == strip.from : !last.from;
            if (goes_on && last.to + last.bytes == strip.to) {
                last.bytes += strip.bytes;
                return;
            }
        }
        strips_.push_back(strip);
    }

    const TensorMap& map_;
    const uintptr_t shared_;
    const bool fills_;
    uint64_t at_ = 0;
    std::vector<Strip> strips_;
};

// Of one row of the box: those elements outside at its begin, those inside, those at its end.
void add_row(const TensorMap& map, int64_t first, uintptr_t row, bool fills, Strips& strips) {
    const int64_t count = map.extent(0), per_unit = kBulkUnit / map.element_bytes;
    int64_t size = int64_t(map.dimensions[0]);
    if (!fills) size = (size + per_unit - 1) / per_unit * per_unit;  // a store writes whole units, as an H200 does
    const int64_t begin = row ? std::clamp<int64_t>(-first, 0, count) : count;
    const int64_t end = std::clamp<int64_t>(size - first, begin, count);
    auto bytes = [&](int64_t elements) { return uint32_t(elements) * map.element_bytes; };
    strips.add(0, bytes(begin));
    if (end > begin) strips.add(row + uintptr_t(first + begin) * map.element_bytes, bytes(end - begin));
    strips.add(0, bytes(count - end));
}

std::vector<Strip> strips_of(const TensorMap& map, const int32_t* coordinates, uintptr_t shared, bool fills) {
    Strips strips(map, shared, fills);
    uint32_t index[kMostDimensions] = {};
    for (;;) {
        uintptr_t row = map.address;
        for (unsigned d = 1; d < map.rank; ++d) {
            const int64_t at = int64_t(coordinates[d]) + int64_t(index[d]) * map.steps[d];
            const bool inside = at >= 0 && uint64_t(at) < map.dimensions[d];
            row = row && inside ? row + uint64_t(at) * map.strides[d - 1] : 0;
        }
        add_row(map, coordinates[0], row, fills, strips);
        unsigned d = 1;
        while (d < map.rank && ++index[d] == map.extent(d)) index[d++] = 0;
        if (d >= map.rank) return strips.take();
    }
}
}  // namespace

bool TensorMap::is_valid() const { return magic == kMagic; }

uint32_t TensorMap::box_bytes() const {
    uint32_t bytes = element_bytes;
    for (unsigned d = 0; d < rank; ++d) bytes *= extent(d);
    return bytes;
}

std::vector<Strip> TensorMap::load(const int32_t* coordinates, uintptr_t shared) const {
    return strips_of(*this, coordinates, shared, true);
}

std::vector<Strip> TensorMap::store(const int32_t* coordinates, uintptr_t shared) const {
    std::vector<Strip> strips = strips_of(*this, coordinates, shared, false);
    for (Strip& strip : strips) std::swap(strip.to, strip.from);
    return strips;
}

}  // namespace simt

using namespace simt;

namespace {
constexpr uint8_t kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

bool is_float(CUtensorMapDataType type) { return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }

CUresult refuse(const char* what) {
    fprintf(stderr, "cusimt: cuTensorMapEncodeTiled: %s cannot run on the simulated GPU.\n", what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

// Everything but the dimensions.
bool are_valid(const TensorMap& map, CUtensorMapDataType type, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
               CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (unsigned(type) >= sizeof kElementBytes || map.address % 16) return false;
    if (unsigned(interleave) > CU_TENSOR_MAP_INTERLEAVE_32B || unsigned(swizzle) > CU_TENSOR_MAP_SWIZZLE_128B) return false;
    if (unsigned(promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B) return false;
    return unsigned(fill) <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA && (!fill || is_float(type));
}

bool take_dimensions(TensorMap* map, const cuuint64_t* dimensions, const cuuint64_t* strides, const cuuint32_t* box,
                     const cuuint32_t* steps) {
    for (unsigned d = 0; d < map->rank; ++d) {
        if (dimensions[d] == 0 || dimensions[d] > uint64_t(1) << 32 || box[d] == 0 || box[d] > 256) return false;
        if (steps[d] == 0 || steps[d] > 8) return false;
        map->dimensions[d] = dimensions[d];
        map->box[d] = uint16_t(box[d]);
        map->steps[d] = d == 0 ? 1 : uint8_t(steps[d]);  // of the first dimension a copy takes every element
        if (d + 1 == map->rank) break;
        if (strides[d] % 16 || strides[d] >= uint64_t(1) << 40) return false;
        map->strides[d] = strides[d];
    }
    return map->box[0] * map->element_bytes % 16 == 0;
}
}  // namespace

extern "C" {
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dimensions, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (!map || uintptr_t(map) % 64 || rank < 1 || rank > kMostDimensions) return CUDA_ERROR_INVALID_VALUE;
    if (!address || !dimensions || !box || !steps || (rank > 1 && !strides)) return CUDA_ERROR_INVALID_VALUE;
    TensorMap made{};
    made.magic = kMagic;
    made.address = uintptr_t(address);
    made.rank = uint8_t(rank);
    made.swizzle = uint8_t(swizzle);
    made.fill = fill ? 0xff : 0;  // all ones are a NaN in every format
    if (!are_valid(made, type, interleave, swizzle, promotion, fill)) return CUDA_ERROR_INVALID_VALUE;
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return refuse("an interleaved layout");
    if (type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ) return refuse("a type that rounds what it copies (FTZ, TFLOAT32)");
    made.element_bytes = kElementBytes[type];
    if (!take_dimensions(&made, dimensions, strides, box, steps)) return CUDA_ERROR_INVALID_VALUE;
    const unsigned row = made.box[0] * made.element_bytes, span = swizzle ? 16u << swizzle : row;
    if (row > span) return CUDA_ERROR_INVALID_VALUE;
    if (row < span) return refuse("a box whose rows are narrower than its swizzle");
    *map = {};
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    TensorMap held;
    if (!map || uintptr_t(map) % 64 || !address || uintptr_t(address) % 16) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&held, map, sizeof held);
    if (!held.is_valid()) return CUDA_ERROR_INVALID_VALUE;
    held.address = uintptr_t(address);
    memcpy(map, &held, sizeof held);
    return CUDA_SUCCESS;
}
}
