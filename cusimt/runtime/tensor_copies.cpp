// Bulk copies by tensor coordinates (cp.async.bulk.tensor), as device code makes them.
#include <string.h>

#include <string>

#include "bulk_checks.h"
#include "execution.h"
#include "tensor_maps.h"

using namespace simt;

namespace {
// A map may be a parameter, or in constant or global memory.
TensorMap read_map(const void* map, unsigned rank, const void* call_site) {
    require_alignment(uintptr_t(map), 64, sizeof(CUtensorMap), READ, call_site);
    if (is_checked_launch()) simt_check_range(map, sizeof(CUtensorMap), READ, call_site);
    TensorMap read;
    memcpy(&read, map, sizeof read);
    if (!read.is_valid()) refuse_copy("this is no tensor map that cuTensorMapEncodeTiled wrote", call_site);
    if (read.rank == rank) return read;
    refuse_copy("cp.async.bulk.tensor." + std::to_string(rank) + "d with a tensor map of " + std::to_string(read.rank) +
                    (read.rank == 1 ? " dimension" : " dimensions"),
                call_site);
}

// The unit moves whole 16 bytes: an H200 answers another first coordinate with an illegal instruction.
void check_first_coordinate(int32_t first, const TensorMap& map, const void* call_site) {
    const int64_t offset = int64_t(first) * map.element_bytes;
    if (offset % int64_t(kBulkUnit) == 0) return;
    refuse_copy("the innermost coordinate of cp.async.bulk.tensor is a multiple of " +
                    std::to_string(kBulkUnit / map.element_bytes) + " elements, which are 16 bytes, not " +
                    std::to_string(first),
                call_site);
}

// A load may begin outside of the tensor; a store that does so is an illegal instruction on an H200.
void check_begin(const int32_t* coordinates, const TensorMap& map, const void* call_site) {
    for (unsigned d = 0; d < map.rank; ++d) {
        if (coordinates[d] >= 0) continue;
        refuse_copy("cp.async.bulk.tensor stores to no negative coordinate: dimension " + std::to_string(d) + " begins at " +
                        std::to_string(coordinates[d]),
                    call_site);
    }
}

void check_shared(uintptr_t address, const TensorMap& map, int kind, const void* call_site) {
    require_alignment(address, 128, map.box_bytes(), kind, call_site);
    check_target(address, map.box_bytes(), kind, call_site);
}
}  // namespace

extern "C" {
void simt_tensor_load(void* to, const void* map, const int32_t* coordinates, unsigned rank, uint64_t* barrier) {
    const void* here = __builtin_return_address(0);
    TensorMap tensor = read_map(map, rank, here);
    check_first_coordinate(coordinates[0], tensor, here);
    check_shared(uintptr_t(to), tensor, WRITE, here);
    check_object(barrier, here);
    BulkCopy copy{tensor.load(coordinates, uintptr_t(to)), tensor.box_bytes(), here, tensor.fill};
    running_block->bulk_copies.load(std::move(copy), barrier);
}

void simt_tensor_store(const void* map, const int32_t* coordinates, unsigned rank, const void* from) {
    const void* here = __builtin_return_address(0);
    TensorMap tensor = read_map(map, rank, here);
    check_first_coordinate(coordinates[0], tensor, here);
    check_begin(coordinates, tensor, here);
    check_shared(uintptr_t(from), tensor, READ, here);
    running_block->bulk_copies.store({tensor.store(coordinates, uintptr_t(from)), tensor.box_bytes(), here});
}
}
