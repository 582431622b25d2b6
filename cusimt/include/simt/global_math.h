// <math.h> as a C++17 program sees it.
//
// These headers need C++20, in which the C++ library's <math.h> also says `using std::lerp`; and many a .cu file has a `lerp`
// of its own. So the global name goes, and std::lerp stays.
#pragma once
#define lerp simt_lerp
#include <cmath>
#include <math.h>
#undef lerp

namespace std {
template <class A, class B, class T>
constexpr auto lerp(A a, B b, T t) noexcept -> decltype(simt_lerp(a, b, t)) {
    return simt_lerp(a, b, t);
}
}  // namespace std
