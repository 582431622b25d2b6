// DiscardOutputIterator: takes every value and keeps none.
#pragma once
#include "cub/iterator/random_access.cuh"

CUB_NAMESPACE_BEGIN

template <class Offset = ptrdiff_t>
class DiscardOutputIterator : public simt_detail::random_access<DiscardOutputIterator<Offset>, NullType, Offset> {
  public:
    SIMT_INLINE DiscardOutputIterator(Offset place = 0) : place_(place) {}
    SIMT_INLINE NullType at(Offset) const { return {}; }
    SIMT_INLINE void advance(Offset n) { place_ += n; }
    SIMT_INLINE Offset distance_to(const DiscardOutputIterator& other) const { return other.place_ - place_; }

  private:
    Offset place_;
};

CUB_NAMESPACE_END
