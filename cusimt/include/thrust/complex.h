// thrust::complex, as far as PyTorch's c10::complex leans on it when a CUDA compiler reads its headers.
#pragma once
#include <complex>

namespace thrust {

template <class T>
struct complex {
    constexpr complex(T real = T(), T imag = T()) : real_(real), imag_(imag) {}
    template <class U>
    constexpr complex(const complex<U>& other) : real_(other.real()), imag_(other.imag()) {}
    constexpr complex(const std::complex<T>& other) : real_(other.real()), imag_(other.imag()) {}
    constexpr operator std::complex<T>() const { return {real_, imag_}; }
    constexpr T real() const { return real_; }
    constexpr T imag() const { return imag_; }

  private:
    T real_, imag_;
};

#define SIMT_COMPLEX(NAME)                                 \
    template <class T>                                     \
    inline complex<T> NAME(const complex<T>& z) {          \
        return std::NAME(static_cast<std::complex<T>>(z)); \
    }
SIMT_COMPLEX(exp)
SIMT_COMPLEX(log)
SIMT_COMPLEX(log10)
SIMT_COMPLEX(sqrt)
SIMT_COMPLEX(sin)
SIMT_COMPLEX(cos)
SIMT_COMPLEX(tan)
SIMT_COMPLEX(asin)
SIMT_COMPLEX(acos)
SIMT_COMPLEX(atan)
SIMT_COMPLEX(sinh)
SIMT_COMPLEX(cosh)
SIMT_COMPLEX(tanh)
SIMT_COMPLEX(asinh)
SIMT_COMPLEX(acosh)
SIMT_COMPLEX(atanh)
#undef SIMT_COMPLEX

template <class T>
inline T abs(const complex<T>& z) {
    return std::abs(static_cast<std::complex<T>>(z));
}
template <class T>
inline T arg(const complex<T>& z) {
    return std::arg(static_cast<std::complex<T>>(z));
}
template <class T>
inline complex<T> polar(const T& magnitude, const T& angle = T()) {
    return std::polar(magnitude, angle);
}
template <class T>
inline complex<T> pow(const complex<T>& base, const complex<T>& exponent) {
    return std::pow(static_cast<std::complex<T>>(base), static_cast<std::complex<T>>(exponent));
}
template <class T>
inline complex<T> pow(const complex<T>& base, const T& exponent) {
    return std::pow(static_cast<std::complex<T>>(base), exponent);
}
template <class T>
inline complex<T> pow(const T& base, const complex<T>& exponent) {
    return std::pow(base, static_cast<std::complex<T>>(exponent));
}

}  // namespace thrust
