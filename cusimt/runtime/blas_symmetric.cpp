// cuBLAS: products with symmetric, triangular and diagonal matrices. Computed in double; of a symmetric or triangular matrix
// only the triangle is touched that the call names.
#include <algorithm>
#include <vector>

#include "blas_matrix.h"

using namespace simt;

namespace {
constexpr auto kSuccess = CUBLAS_STATUS_SUCCESS, kInvalid = CUBLAS_STATUS_INVALID_VALUE;
constexpr auto kFailed = CUBLAS_STATUS_EXECUTION_FAILED;

bool is_in(cublasFillMode_t uplo, int i, int j) {
    return uplo == CUBLAS_FILL_MODE_FULL || i == j || (uplo == CUBLAS_FILL_MODE_LOWER) == (i > j);
}

// C(i, j) = alpha sum(i, j) + beta C(i, j) in the triangle; with beta = 0 nothing of C is read.
template <class T, class Sum>
void accumulate(cublasFillMode_t uplo, int m, int n, double alpha, Sum sum, double beta, T* c, int ldc) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            if (!is_in(uplo, i, j)) continue;
            T& element = c[size_t(j) * ldc + i];
            double result = alpha == 0 ? 0 : alpha * sum(i, j);
            element = T(beta == 0 ? result : result + beta * double(element));
            simt_mark_written(&element, sizeof element, SIMT_LIBRARY);
        }
    }
}

// op(A), of which the rows are `n` and the columns `k`.
template <class T>
struct Operand {
    const T* a;
    int n, k, lda;
    cublasOperation_t op;
    bool is_plain() const { return op == CUBLAS_OP_N; }
    bool is_valid() const { return lda >= std::max(1, is_plain() ? n : k); }
    bool is_there() const { return is_plain() ? is_matrix(a, n, k, lda) : is_matrix(a, k, n, lda); }
    double at(int i, int l) const { return double(is_plain() ? a[size_t(l) * lda + i] : a[size_t(i) * lda + l]); }
};

// C = alpha op(A) op(B)^T + beta C, and with `both` alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C.
template <class T>
cublasStatus_t update(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const T* alpha,
                      const T* a, int lda, const T* b, int ldb, bool both, const T* beta, T* c, int ldc) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    Operand<T> left{a, n, k, lda, op}, right{b, n, k, ldb, op};
    bool valid = alpha && beta && n >= 0 && k >= 0 && ldc >= std::max(1, n) && left.is_valid() && right.is_valid();
    if (!valid) return kInvalid;
    BlasCall call(both ? "cuBLAS syr2k" : "cuBLAS syrk", handle, (both ? 2.0 : 1.0) * n * n * k);
    if (simt_library_call_fails() || !left.is_there() || !right.is_there() || !is_matrix(c, n, n, ldc)) return kFailed;
    auto sum = [&](int i, int j) {
        double total = 0;
        for (int l = 0; l < k; ++l) total += left.at(i, l) * right.at(j, l);
        for (int l = 0; l < k && both; ++l) total += right.at(i, l) * left.at(j, l);
        return total;
    };
    accumulate(uplo, n, n, double(*alpha), sum, double(*beta), c, ldc);
    return kSuccess;
}

// C = alpha A B + beta C, or alpha B A + beta C.
template <class T>
cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T* alpha,
                    const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    Triangle triangle{side, uplo, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n};
    if (!alpha || !beta || !is_valid(triangle, lda, ldb) || ldc < std::max(1, m)) return kInvalid;
    int order = triangle.order();
    BlasCall call("cuBLAS symm", handle, 2.0 * m * n * order);
    bool there = is_matrix(a, order, order, lda) && is_matrix(b, m, n, ldb) && is_matrix(c, m, n, ldc);
    if (simt_library_call_fails() || !there) return kFailed;
    auto symmetric = [&](int i, int j) {
        if (!is_in(uplo, i, j)) std::swap(i, j);
        return double(a[size_t(j) * lda + i]);
    };
    Matrix other(b, m, n, ldb);
    auto sum = [&](int i, int j) {
        double total = 0;
        for (int l = 0; l < order; ++l) {
            total += side == CUBLAS_SIDE_LEFT ? symmetric(i, l) * other(l, j) : other(i, l) * symmetric(l, j);
        }
        return total;
    };
    accumulate(CUBLAS_FILL_MODE_FULL, m, n, double(*alpha), sum, double(*beta), c, ldc);
    return kSuccess;
}

// C = alpha op(A) B, or alpha B op(A). C may be B.
template <class T>
cublasStatus_t trmm(cublasHandle_t handle, const Triangle& triangle, const T* alpha, const T* a, int lda, const T* b, int ldb,
                    T* c, int ldc) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    auto [side, uplo, op, diagonal, m, n] = triangle;
    if (!alpha || !is_valid(triangle, lda, ldb) || ldc < std::max(1, m)) return kInvalid;
    int order = triangle.order();
    BlasCall call("cuBLAS trmm", handle, double(m) * n * order);
    bool there = is_matrix(a, order, order, lda) && is_matrix(b, m, n, ldb) && is_matrix(c, m, n, ldc);
    if (simt_library_call_fails() || !there) return kFailed;
    bool turned = op != CUBLAS_OP_N, upper = (uplo == CUBLAS_FILL_MODE_UPPER) != turned, left = side == CUBLAS_SIDE_LEFT;
    bool is_unit = diagonal == CUBLAS_DIAG_UNIT;
    auto element = [&](int i, int j) {
        if (i == j && is_unit) return 1.0;
        return double(turned ? a[size_t(i) * lda + j] : a[size_t(j) * lda + i]);
    };
    Matrix other(b, m, n, ldb);
    auto sum = [&](int i, int j) {
        int own = left ? i : j;
        bool goes_up = upper == left;  // from the diagonal to the end, else from the beginning to the diagonal
        double total = 0;
        for (int l = goes_up ? own : 0; l < (goes_up ? order : own + 1); ++l) {
            total += left ? element(i, l) * other(l, j) : other(i, l) * element(l, j);
        }
        return total;
    };
    accumulate(CUBLAS_FILL_MODE_FULL, m, n, double(*alpha), sum, 0, c, ldc);
    return kSuccess;
}

// C = diag(X) A, or A diag(X). C may be A.
template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda, const T* x, int incx, T* c,
                    int ldc) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || lda < std::max(1, m) || ldc < std::max(1, m)) return kInvalid;
    int order = side == CUBLAS_SIDE_LEFT ? m : n, step = std::abs(incx);
    BlasCall call("cuBLAS dgmm", handle, double(m) * n);
    bool there = is_matrix(a, m, n, lda) && is_matrix(c, m, n, ldc) && is_matrix(x, order ? (order - 1) * step + 1 : 0, 1, 1);
    if (simt_library_call_fails() || !there) return kFailed;
    auto factor = [&](int i) { return double(x[size_t(incx < 0 ? order - 1 - i : i) * size_t(step)]); };
    Matrix other(a, m, n, lda);
    auto product = [&](int i, int j) { return other(i, j) * factor(side == CUBLAS_SIDE_LEFT ? i : j); };
    accumulate(CUBLAS_FILL_MODE_FULL, m, n, 1, product, 0, c, ldc);
    return kSuccess;
}
}  // namespace

extern "C" {
#define SIMT_BLAS(X, T)                                                                                                       \
    cublasStatus_t cublas##X##syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,          \
                                   const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc) {                       \
        return update(handle, uplo, op, n, k, alpha, a, lda, a, lda, false, beta, c, ldc);                                    \
    }                                                                                                                         \
    cublasStatus_t cublas##X##syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,         \
                                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) { \
        return update(handle, uplo, op, n, k, alpha, a, lda, b, ldb, false, beta, c, ldc);                                    \
    }                                                                                                                         \
    cublasStatus_t cublas##X##syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,         \
                                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) { \
        return update(handle, uplo, op, n, k, alpha, a, lda, b, ldb, true, beta, c, ldc);                                     \
    }                                                                                                                         \
    cublasStatus_t cublas##X##symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,         \
                                   const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return symm(handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                                           \
    }                                                                                                                         \
    cublasStatus_t cublas##X##trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
                                   cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, const T* b,  \
                                   int ldb, T* c, int ldc) {                                                                  \
        return trmm(handle, {side, uplo, op, diagonal, m, n}, alpha, a, lda, b, ldb, c, ldc);                                 \
    }                                                                                                                         \
    cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda,           \
                                   const T* x, int incx, T* c, int ldc) {                                                     \
        return dgmm(handle, side, m, n, a, lda, x, incx, c, ldc);                                                             \
    }
SIMT_BLAS(S, float)
SIMT_BLAS(D, double)
#undef SIMT_BLAS
}
