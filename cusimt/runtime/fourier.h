// Discrete Fourier transforms of any length, in double.
#pragma once
#include <stddef.h>

#include <complex>
#include <vector>

namespace simt {

using Complex = std::complex<double>;

// out[k] = sum of in[j] exp(sign 2 pi i j k / n), without a factor.
class Fourier {
  public:
    Fourier(size_t n, int sign);
    void transform(Complex* line) const;  // of n numbers, in place

  private:
    void by_factors(const Complex* in, size_t stride, Complex* out, size_t n) const;
    void by_convolution(Complex* line) const;  // Bluestein's algorithm, for lengths with a large prime factor

    size_t n_;
    std::vector<size_t> factors_;
    std::vector<Complex> roots_;           // exp(sign 2 pi i k / n)
    std::vector<Complex> chirp_, filter_;  // where n has a large prime factor
};

// Transforms a row-major array of `sizes` along one of its dimensions.
void transform_along(Complex* array, const std::vector<size_t>& sizes, size_t dimension, int sign);

}  // namespace simt
