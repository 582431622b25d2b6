// What <cuda/barrier> has for Hopper: bytes that a barrier expects, and bulk copies that bring them.
#pragma once
#include "simt/async/copies.h"
#include "simt/async/mbarrier.h"
#include "simt/tensor_map_types.h"

namespace cuda {
namespace device {

template <thread_scope Scope>
SIMT_INLINE uint64_t barrier_arrive_tx(barrier<Scope>& object, ptrdiff_t arrivals, ptrdiff_t bytes) {
    return simt::mbarrier::arrive_expecting(object.simt_phases(), static_cast<uint32_t>(arrivals),
                                            static_cast<uint32_t>(bytes));
}
template <thread_scope Scope>
SIMT_INLINE void barrier_expect_tx(barrier<Scope>& object, ptrdiff_t bytes) {
    simt_phase_expect(object.simt_phases(), static_cast<uint32_t>(bytes));
}
template <class T, size_t Alignment, thread_scope Scope>
SIMT_INLINE async_contract_fulfillment memcpy_async_tx(T* to, const T* from, aligned_size_t<Alignment> size,
                                                       barrier<Scope>& object) {
    static_assert(Alignment >= 16, "memcpy_async_tx needs a promise that both pointers are multiples of 16 bytes");
    simt_bulk_load(to, from, static_cast<uint32_t>(size), object.simt_phases());
    return async_contract_fulfillment::async;
}

namespace experimental {
template <thread_scope Scope>
SIMT_INLINE void cp_async_bulk_global_to_shared(void* to, const void* from, uint32_t bytes, barrier<Scope>& object) {
    simt_bulk_load(to, from, bytes, object.simt_phases());
}
SIMT_INLINE void cp_async_bulk_shared_to_global(void* to, const void* from, uint32_t bytes) {
    simt_bulk_store(to, from, bytes);
}
#define SIMT_TENSOR_COPIES(RANK, COORDINATES, ...)                                                                            \
    template <thread_scope Scope>                                                                                             \
    SIMT_INLINE void cp_async_bulk_tensor_##RANK##d_global_to_shared(void* to, const CUtensorMap* map, SIMT_EACH COORDINATES, \
                                                                     barrier<Scope>& object) {                                \
        const int32_t coordinates[] = {__VA_ARGS__};                                                                          \
        simt_tensor_load(to, map, coordinates, RANK, object.simt_phases());                                                   \
    }                                                                                                                         \
    SIMT_INLINE void cp_async_bulk_tensor_##RANK##d_shared_to_global(const CUtensorMap* map, SIMT_EACH COORDINATES,           \
                                                                     const void* from) {                                      \
        const int32_t coordinates[] = {__VA_ARGS__};                                                                          \
        simt_tensor_store(map, coordinates, RANK, from);                                                                      \
    }
#define SIMT_EACH(...) __VA_ARGS__
SIMT_TENSOR_COPIES(1, (int a), a)
SIMT_TENSOR_COPIES(2, (int a, int b), a, b)
SIMT_TENSOR_COPIES(3, (int a, int b, int c), a, b, c)
SIMT_TENSOR_COPIES(4, (int a, int b, int c, int d), a, b, c, d)
SIMT_TENSOR_COPIES(5, (int a, int b, int c, int d, int e), a, b, c, d, e)
#undef SIMT_TENSOR_COPIES
#undef SIMT_EACH
SIMT_INLINE void cp_async_bulk_commit_group() { simt_bulk_commit(); }
template <int Prior>
SIMT_INLINE void cp_async_bulk_wait_group_read() {
    simt_bulk_wait(Prior, 1);
}
SIMT_INLINE void fence_proxy_async_shared_cta() { simt_proxy_fence(); }
}  // namespace experimental

}  // namespace device
}  // namespace cuda
