// Much of the math that kernels use.
#include <cmath>
#include <cuda_runtime.h>
#include <limits>
#include <math_constants.h>

__global__ void functions(const float* x, const double* z, float* y, double* w, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = expf(v) + logf(v) + sinf(v) + cosf(v) + tanhf(v) + sqrtf(v) + rsqrtf(v) + powf(v, 3.0f) + erff(v) +
           log1pf(v) + expm1f(v) + fmaxf(v, 0.0f) + fminf(v, 1.0f) + floorf(v) + ceilf(v) + roundf(v) + fabsf(v) +
           exp2f(v) + log2f(v) + atan2f(v, 2.0f) + hypotf(v, 1.0f) + cbrtf(v) + lgammaf(v) + tgammaf(v) +
           normcdff(v) + erfcf(v) + __expf(v) + __fdividef(v, 3.0f) + copysignf(v, -1.0f) + fmodf(v, 2.0f) +
           sinhf(v) + coshf(v) + asinf(v) + acosf(v) + atanf(v) + truncf(v) + rintf(v) + ldexpf(v, 2) +
           (isnan(v) ? CUDART_INF_F : std::numeric_limits<float>::max());
    const double u = z[i];
    w[i] = exp(u) + log(u) + sin(u) + cos(u) + tanh(u) + sqrt(u) + pow(u, 1.5) + erf(u) + log1p(u) + expm1(u) +
           fmax(u, 0.0) + fmin(u, 1.0) + floor(u) + ceil(u) + round(u) + fabs(u) + log10(u) + asinh(u) + acosh(u) +
           atanh(u) + nextafter(u, 2.0) + fma(u, u, u) + remainder(u, 3.0) + lgamma(u) + rsqrt(u);
}

void run(const float* x, const double* z, float* y, double* w, int n) { functions<<<1, 64>>>(x, z, y, w, n); }
