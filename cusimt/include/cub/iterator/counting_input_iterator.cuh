// CountingInputIterator: i, i + 1, i + 2, ... without memory. ConstantInputIterator: one value again and again.
#pragma once
#include "cub/iterator/random_access.cuh"

CUB_NAMESPACE_BEGIN

template <class T, class Offset = ptrdiff_t>
class CountingInputIterator : public simt_detail::random_access<CountingInputIterator<T, Offset>, T, Offset> {
  public:
    SIMT_INLINE CountingInputIterator(const T& first) : value_(first) {}
    SIMT_INLINE T at(Offset i) const { return static_cast<T>(value_ + static_cast<T>(i)); }
    SIMT_INLINE void advance(Offset n) { value_ = at(n); }
    SIMT_INLINE Offset distance_to(const CountingInputIterator& other) const {
        return static_cast<Offset>(other.value_ - value_);
    }

  private:
    T value_;
};

template <class T, class Offset = ptrdiff_t>
class ConstantInputIterator : public simt_detail::random_access<ConstantInputIterator<T, Offset>, T, Offset> {
  public:
    SIMT_INLINE ConstantInputIterator(T value, Offset place = 0) : value_(value), place_(place) {}
    SIMT_INLINE T at(Offset) const { return value_; }
    SIMT_INLINE void advance(Offset n) { place_ += n; }
    SIMT_INLINE Offset distance_to(const ConstantInputIterator& other) const { return other.place_ - place_; }

  private:
    T value_;
    Offset place_;
};

CUB_NAMESPACE_END
