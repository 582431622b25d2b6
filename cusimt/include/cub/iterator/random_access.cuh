// What random access iterators have in common, given at(i), advance(n) and distance_to(other).
#pragma once
#include <stddef.h>

#include <iterator>

#include "cub/util_type.cuh"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

template <class Self, class T, class Offset>
class random_access {
  public:
    typedef Self self_type;
    typedef Offset difference_type;
    typedef T value_type;
    typedef T* pointer;
    typedef T reference;
    typedef std::random_access_iterator_tag iterator_category;

    SIMT_INLINE auto operator*() const { return self().at(0); }
    template <class I>
    SIMT_INLINE auto operator[](I i) const {
        return self().at(static_cast<Offset>(i));
    }
    SIMT_INLINE Self& operator++() { return *this += 1; }
    SIMT_INLINE Self operator++(int) {
        Self before = self();
        *this += 1;
        return before;
    }
    SIMT_INLINE Self& operator--() { return *this += -1; }
    template <class I>
    SIMT_INLINE Self& operator+=(I n) {
        Self& mine = static_cast<Self&>(*this);
        mine.advance(static_cast<Offset>(n));
        return mine;
    }
    template <class I>
    SIMT_INLINE Self& operator-=(I n) {
        return *this += -static_cast<Offset>(n);
    }
    template <class I>
    SIMT_INLINE Self operator+(I n) const {
        Self moved = self();
        moved += n;
        return moved;
    }
    template <std::integral I>
    SIMT_INLINE Self operator-(I n) const {
        return *this + -static_cast<Offset>(n);
    }
    SIMT_INLINE Offset operator-(const Self& other) const { return other.distance_to(self()); }
    SIMT_INLINE bool operator==(const Self& other) const { return self().distance_to(other) == 0; }
    SIMT_INLINE bool operator!=(const Self& other) const { return !(*this == other); }
    SIMT_INLINE bool operator<(const Self& other) const { return self().distance_to(other) > 0; }

  private:
    SIMT_INLINE const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace simt_detail
CUB_NAMESPACE_END
