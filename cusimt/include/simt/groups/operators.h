// The function objects that reduce and the scans take.
#pragma once

namespace cooperative_groups {

#define SIMT_OPERATOR(NAME, EXPRESSION)                               \
    template <class T = void>                                         \
    struct NAME {                                                     \
        constexpr T operator()(T a, T b) const { return EXPRESSION; } \
    };                                                                \
    template <>                                                       \
    struct NAME<void> {                                               \
        template <class T>                                            \
        constexpr T operator()(T a, T b) const {                      \
            return EXPRESSION;                                        \
        }                                                             \
    };
SIMT_OPERATOR(plus, a + b)
SIMT_OPERATOR(less, b < a ? b : a)     // the smaller
SIMT_OPERATOR(greater, a < b ? b : a)  // the larger
SIMT_OPERATOR(bit_and, a& b)
SIMT_OPERATOR(bit_or, a | b)
SIMT_OPERATOR(bit_xor, a ^ b)
#undef SIMT_OPERATOR

}  // namespace cooperative_groups
