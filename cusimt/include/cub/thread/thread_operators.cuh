// The function objects of CUB. Those that CUB 3 dropped in favour of cuda::std's are kept for older sources.
#pragma once
#include "cub/util_type.cuh"
#if __has_include(<cuda/functional>)  // cuda::maximum and cuda::std::plus, by which CUB 3 replaces these: with CCCL only
#include <cuda/functional>
#include <cuda/std/functional>
#endif

CUB_NAMESPACE_BEGIN

#define SIMT_CUB_OPERATOR(NAME, EXPRESSION)                                                           \
    struct NAME {                                                                                     \
        template <class T, class U>                                                                   \
        SIMT_INLINE constexpr auto operator()(const T& a, const U& b) const -> decltype(EXPRESSION) { \
            return EXPRESSION;                                                                        \
        }                                                                                             \
    };
SIMT_CUB_OPERATOR(Equality, a == b)
SIMT_CUB_OPERATOR(Inequality, a != b)
SIMT_CUB_OPERATOR(Sum, a + b)
SIMT_CUB_OPERATOR(Difference, a - b)
SIMT_CUB_OPERATOR(Division, a / b)
SIMT_CUB_OPERATOR(BitAnd, a& b)
SIMT_CUB_OPERATOR(BitOr, a | b)
SIMT_CUB_OPERATOR(BitXor, a ^ b)
#undef SIMT_CUB_OPERATOR

// The order of the operands is CUB's: it decides which of two equal values, and what of a NaN, is kept.
struct Max {
    template <class T, class U>
    SIMT_INLINE constexpr std::common_type_t<T, U> operator()(const T& a, const U& b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <class T, class U>
    SIMT_INLINE constexpr std::common_type_t<T, U> operator()(const T& a, const U& b) const {
        return b < a ? b : a;
    }
};

// Of KeyValuePair: the larger (smaller) value; of equal values, the smaller key.
struct ArgMax {
    template <class K, class V>
    SIMT_INLINE constexpr KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V>
    SIMT_INLINE constexpr KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

template <class Operator>
struct InequalityWrapper {
    Operator op;
    SIMT_INLINE explicit InequalityWrapper(Operator op_) : op(op_) {}
    template <class T, class U>
    SIMT_INLINE bool operator()(const T& a, const U& b) {
        return !op(a, b);
    }
};

template <class T>
struct CastOp {
    template <class U>
    SIMT_INLINE T operator()(const U& value) const {
        return static_cast<T>(value);
    }
};

template <class Operator>
struct SwizzleScanOp {
    Operator scan_op;
    SIMT_INLINE explicit SwizzleScanOp(Operator op) : scan_op(op) {}
    template <class T>
    SIMT_INLINE T operator()(const T& a, const T& b) {
        return scan_op(b, a);
    }
};

// Values with the key of their segment (ReduceBySegmentOp: key counts heads; ReduceByKeyOp: key is compared).
template <class Operator>
struct ReduceBySegmentOp {
    Operator op;
    ReduceBySegmentOp() = default;
    SIMT_INLINE explicit ReduceBySegmentOp(Operator op_) : op(op_) {}
    template <class Pair>
    SIMT_INLINE Pair operator()(const Pair& first, const Pair& second) {
        Pair result;
        result.key = first.key + second.key;
        result.value = second.key ? second.value : op(first.value, second.value);
        return result;
    }
};
template <class Operator>
struct ReduceByKeyOp {
    Operator op;
    ReduceByKeyOp() = default;
    SIMT_INLINE explicit ReduceByKeyOp(Operator op_) : op(op_) {}
    template <class Pair>
    SIMT_INLINE Pair operator()(const Pair& first, const Pair& second) {
        Pair result = second;
        if (first.key == second.key) result.value = op(first.value, second.value);
        return result;
    }
};

CUB_NAMESPACE_END
