// TransformInputIterator: an operator applied to what another iterator reads. ArgIndexInputIterator: items with their places.
#pragma once
#include "cub/iterator/random_access.cuh"

CUB_NAMESPACE_BEGIN

template <class T, class Operator, class Iterator, class Offset = ptrdiff_t>
class TransformInputIterator
    : public simt_detail::random_access<TransformInputIterator<T, Operator, Iterator, Offset>, T, Offset> {
  public:
    SIMT_INLINE TransformInputIterator(Iterator iterator, Operator op) : op_(op), iterator_(iterator) {}
    SIMT_INLINE T at(Offset i) const { return const_cast<Operator&>(op_)(iterator_[i]); }
    SIMT_INLINE void advance(Offset n) { iterator_ = iterator_ + n; }
    SIMT_INLINE Offset distance_to(const TransformInputIterator& other) const {
        return static_cast<Offset>(other.iterator_ - iterator_);
    }

  private:
    Operator op_;
    Iterator iterator_;
};

template <class Iterator, class Offset = ptrdiff_t, class Value = simt_detail::value_of<Iterator>>
class ArgIndexInputIterator
    : public simt_detail::random_access<ArgIndexInputIterator<Iterator, Offset, Value>, KeyValuePair<Offset, Value>, Offset> {
  public:
    SIMT_INLINE ArgIndexInputIterator(Iterator iterator, Offset place = 0) : iterator_(iterator), place_(place) {}
    SIMT_INLINE KeyValuePair<Offset, Value> at(Offset i) const {
        return KeyValuePair<Offset, Value>(place_ + i, iterator_[place_ + i]);
    }
    SIMT_INLINE void advance(Offset n) { place_ += n; }
    SIMT_INLINE Offset distance_to(const ArgIndexInputIterator& other) const { return other.place_ - place_; }
    SIMT_INLINE void normalize() {
        iterator_ = iterator_ + place_;
        place_ = 0;
    }

  private:
    Iterator iterator_;
    Offset place_;
};

CUB_NAMESPACE_END
