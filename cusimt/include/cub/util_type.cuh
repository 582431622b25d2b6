// Types that the primitives share: pairs, double buffers, storage without constructors.
#pragma once
#include <stddef.h>

#include <type_traits>

#include "cub/config.cuh"
#include "cub/util_traits.cuh"

CUB_NAMESPACE_BEGIN

struct NullType {
    template <class T>
    SIMT_INLINE NullType& operator=(const T&) {
        return *this;
    }
    SIMT_INLINE bool operator==(const NullType&) const { return true; }
    SIMT_INLINE bool operator!=(const NullType&) const { return false; }
};

template <int Value>
struct Int2Type {
    enum { VALUE = Value };
};

template <bool Condition, class Then, class Else>
struct If {
    typedef std::conditional_t<Condition, Then, Else> Type;
};
template <class A, class B>
struct Equals {
    enum { VALUE = std::is_same_v<A, B>, NEGATE = !std::is_same_v<A, B> };
};
template <int N>
struct Log2 {
    enum { VALUE = N <= 1 ? 0 : 32 - __builtin_clz(static_cast<unsigned>(N > 1 ? N - 1 : 1)) };
};
template <int N>
struct PowerOfTwo {
    enum { VALUE = (N & (N - 1)) == 0 };
};

template <class K, class V>
struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    Key key;
    Value value;

    KeyValuePair() = default;
    SIMT_INLINE constexpr KeyValuePair(const Key& key_, const Value& value_) : key(key_), value(value_) {}
    SIMT_INLINE constexpr bool operator==(const KeyValuePair& b) const { return key == b.key && value == b.value; }
    SIMT_INLINE constexpr bool operator!=(const KeyValuePair& b) const { return !(*this == b); }
};

// Two buffers that a sort may use in turn; `selector` says which one holds the result.
template <class T>
struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;

    DoubleBuffer() = default;
    SIMT_INLINE DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
    SIMT_INLINE T* Current() const { return d_buffers[selector]; }
    SIMT_INLINE T* Alternate() const { return d_buffers[selector ^ 1]; }
};

// Room for a T, without its constructor: what can lie in shared memory and in unions.
template <class T>
struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    SIMT_INLINE T& Alias() { return reinterpret_cast<T&>(*this); }
};

// An initial value that is read on the device, when the kernel runs.
template <class T, class Iterator = T*>
struct FutureValue {
    typedef T value_type;
    typedef Iterator iterator_type;
    SIMT_INLINE explicit FutureValue(Iterator iterator) : iterator_(iterator) {}
    SIMT_INLINE operator T() const { return *iterator_; }

  private:
    Iterator iterator_;
};

namespace simt_detail {

// A block of BX x BY x BZ threads, known when the primitive is compiled.
template <int BX, int BY, int BZ>
struct block_shape {
    static constexpr int threads = BX * BY * BZ;
    static constexpr int warps = (threads + 31) / 32;
    SIMT_INLINE static int thread() { return static_cast<int>((threadIdx.z * BY + threadIdx.y) * BX + threadIdx.x); }
};

template <class Iterator>
using value_of = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Iterator&>())>>;

}  // namespace simt_detail
CUB_NAMESPACE_END
