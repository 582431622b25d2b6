// Pointers whose accesses carry a cache hint, which changes no value.
#pragma once
#include "cub/iterator/random_access.cuh"
#include "cub/thread/thread_load.cuh"

CUB_NAMESPACE_BEGIN

template <CacheLoadModifier Modifier, class T, class Offset = ptrdiff_t>
class CacheModifiedInputIterator
    : public simt_detail::random_access<CacheModifiedInputIterator<Modifier, T, Offset>, T, Offset> {
  public:
    template <class U>
    SIMT_INLINE CacheModifiedInputIterator(U* pointer) : ptr(pointer) {}
    SIMT_INLINE T at(Offset i) const { return ptr[i]; }
    SIMT_INLINE void advance(Offset n) { ptr += n; }
    SIMT_INLINE Offset distance_to(const CacheModifiedInputIterator& other) const { return other.ptr - ptr; }

    const T* ptr;
};

template <CacheStoreModifier Modifier, class T, class Offset = ptrdiff_t>
class CacheModifiedOutputIterator
    : public simt_detail::random_access<CacheModifiedOutputIterator<Modifier, T, Offset>, T, Offset> {
  public:
    template <class U>
    SIMT_INLINE CacheModifiedOutputIterator(U* pointer) : ptr(pointer) {}
    SIMT_INLINE T& at(Offset i) const { return ptr[i]; }
    SIMT_INLINE T& operator*() const { return *ptr; }
    template <class I>
    SIMT_INLINE T& operator[](I i) const {
        return ptr[i];
    }
    SIMT_INLINE void advance(Offset n) { ptr += n; }
    SIMT_INLINE Offset distance_to(const CacheModifiedOutputIterator& other) const { return other.ptr - ptr; }

  private:
    T* ptr;
};

CUB_NAMESPACE_END
