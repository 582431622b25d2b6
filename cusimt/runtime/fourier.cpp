// The algorithm of Cooley and Tukey for any factors, and Bluestein's where one of them is a large prime.
#include "fourier.h"

#include <math.h>

#include <algorithm>

namespace simt {

namespace {
constexpr size_t kLargestFactor = 61;

std::vector<size_t> factors_of(size_t n) {
    std::vector<size_t> factors;
    for (size_t p = 2; n > 1; ++p) {
        if (p * p > n) p = n;
        for (; n % p == 0; n /= p) factors.push_back(p);
    }
    return factors;
}

// exp(2 pi i k / n), for k up to n^2: reduced first, so that it is as exact as sine and cosine are.
Complex root(size_t k, size_t n, int sign) {
    double angle = 2 * M_PI * double(k % n) / double(n);
    return {cos(angle), sign * sin(angle)};
}
}  // namespace

Fourier::Fourier(size_t n, int sign) : n_(n), factors_(factors_of(n)) {
    if (factors_.empty() || factors_.back() <= kLargestFactor) {
        for (size_t k = 0; k < n; ++k) roots_.push_back(root(k, n, sign));
        return;
    }
    size_t padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    filter_.resize(padded);
    for (size_t k = 0; k < n; ++k) {
        chirp_.push_back(root(k * k % (2 * n), 2 * n, sign));  // k^2 / 2 of the n-th root
        filter_[k] = filter_[(padded - k) % padded] = std::conj(chirp_[k]);
    }
    Fourier(padded, -1).transform(filter_.data());
}

void Fourier::transform(Complex* line) const {
    if (!chirp_.empty()) return by_convolution(line);
    std::vector<Complex> in(line, line + n_);
    by_factors(in.data(), 1, line, n_);
}

void Fourier::by_factors(const Complex* in, size_t stride, Complex* out, size_t n) const {
    if (n == 1) {
        *out = *in;
        return;
    }
    size_t p = 2;
    while (n % p) ++p;
    size_t part = n / p, step = n_ / n;  // roots_[step] is the n-th root
    for (size_t r = 0; r < p; ++r) by_factors(in + r * stride, stride * p, out + r * part, part);
    Complex turned[kLargestFactor];
    for (size_t k = 0; k < part; ++k) {
        for (size_t r = 0; r < p; ++r) turned[r] = out[r * part + k] * roots_[r * k * step];
        for (size_t q = 0; q < p; ++q) {
            Complex sum = turned[0];
            for (size_t r = 1; r < p; ++r) sum += turned[r] * roots_[r * q * part * step % n_];
            out[q * part + k] = sum;
        }
    }
}

void Fourier::by_convolution(Complex* line) const {
    size_t padded = filter_.size();
    std::vector<Complex> work(padded);
    for (size_t k = 0; k < n_; ++k) work[k] = line[k] * chirp_[k];
    Fourier(padded, -1).transform(work.data());
    for (size_t k = 0; k < padded; ++k) work[k] *= filter_[k];
    Fourier(padded, 1).transform(work.data());
    for (size_t k = 0; k < n_; ++k) line[k] = work[k] * chirp_[k] / double(padded);
}

void transform_along(Complex* array, const std::vector<size_t>& sizes, size_t dimension, int sign) {
    size_t n = sizes[dimension], inner = 1, outer = 1;
    for (size_t i = 0; i < dimension; ++i) outer *= sizes[i];
    for (size_t i = dimension + 1; i < sizes.size(); ++i) inner *= sizes[i];
    Fourier fourier(n, sign);
    std::vector<Complex> line(n);
    for (size_t lines = 0; lines < outer * inner; ++lines) {
        Complex* first = array + lines / inner * n * inner + lines % inner;
        for (size_t k = 0; k < n; ++k) line[k] = first[k * inner];
        fourier.transform(line.data());
        for (size_t k = 0; k < n; ++k) first[k * inner] = line[k];
    }
}

}  // namespace simt
