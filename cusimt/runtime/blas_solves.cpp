// cuBLAS: triangular systems, and LU factorisations, inverses and least squares of batches. Computed in double.
#include <math.h>

#include <algorithm>
#include <vector>

#include "blas_matrix.h"

using namespace simt;

namespace {
constexpr auto kSuccess = CUBLAS_STATUS_SUCCESS, kInvalid = CUBLAS_STATUS_INVALID_VALUE;

// op(A) X = alpha B, or X op(A) = alpha B, which is op(A)^T X^T = alpha B^T.
template <class T>
void solve(const Triangle& triangle, double alpha, const T* a, int lda, T* b, int ldb) {
    bool left = triangle.side == CUBLAS_SIDE_LEFT, turned = (triangle.op != CUBLAS_OP_N) == left;
    bool forward = (triangle.uplo == CUBLAS_FILL_MODE_LOWER) != turned;
    int order = triangle.order(), systems = left ? triangle.n : triangle.m;
    auto element = [&](int i, int j) { return double(turned ? a[size_t(i) * lda + j] : a[size_t(j) * lda + i]); };
    std::vector<double> x(size_t(std::max(order, 0)));
    for (int s = 0; s < systems; ++s) {
        T* first = left ? b + size_t(s) * ldb : b + s;
        size_t step = left ? 1 : size_t(ldb);
        for (int done = 0; done < order; ++done) {
            int i = forward ? done : order - 1 - done;
            double sum = alpha * double(first[size_t(i) * step]);
            for (int before = 0; before < done; ++before) {
                int j = forward ? before : order - 1 - before;
                sum -= element(i, j) * x[size_t(j)];
            }
            x[size_t(i)] = triangle.diagonal == CUBLAS_DIAG_UNIT ? sum : sum / element(i, i);
        }
        for (int i = 0; i < order; ++i) first[size_t(i) * step] = T(x[size_t(i)]);
    }
    written(b, triangle.m, triangle.n, ldb);
}

template <class T>
cublasStatus_t trsm(cublasHandle_t handle, const Triangle& triangle, const T* alpha, const T* const* a, int lda, T* const* b,
                    int ldb, int count) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!alpha || count < 0 || !is_valid(triangle, lda, ldb)) return kInvalid;
    BlasCall call("cuBLAS trsm", handle, double(triangle.m) * triangle.n * triangle.order() * count);
    if (simt_library_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    for (int i = 0; i < count; ++i) {
        bool there = is_matrix(a[i], triangle.order(), triangle.order(), lda) && is_matrix(b[i], triangle.m, triangle.n, ldb);
        if (!there) return CUBLAS_STATUS_EXECUTION_FAILED;
        solve(triangle, double(*alpha), a[i], lda, b[i], ldb);
    }
    return kSuccess;
}

// The arrays of pointers that batches take are in device memory.
bool is_array(const void* pointers, int count) { return is_accessible(pointers, size_t(count) * sizeof(void*)); }

// Exchanges rows so that the largest number of each column comes first; 0, or the number of the first zero on the diagonal.
int factor(Matrix& a, int* pivots) {
    int zero = 0;
    for (int k = 0; k < a.columns; ++k) {
        int largest = k;
        for (int i = k; i < a.rows && pivots; ++i) {
            if (fabs(a(i, k)) > fabs(a(largest, k))) largest = i;
        }
        if (pivots) pivots[k] = largest + 1;
        for (int j = 0; j < a.columns && largest != k; ++j) std::swap(a(k, j), a(largest, j));
        if (a(k, k) == 0) {
            zero = zero ? zero : k + 1;
            continue;
        }
        for (int i = k + 1; i < a.rows; ++i) a(i, k) /= a(k, k);
        for (int j = k + 1; j < a.columns; ++j) {
            for (int i = k + 1; i < a.rows; ++i) a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return zero;
}

template <class T>
cublasStatus_t getrf(cublasHandle_t handle, int n, T* const* a, int lda, int* pivots, int* info, int count) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || count < 0 || lda < std::max(1, n)) return kInvalid;
    BlasCall call("cuBLAS getrfBatched", handle, 2.0 / 3 * n * n * n * count);
    bool there = is_array(a, count) && is_matrix(info, count, 1, count);
    there &= !pivots || is_matrix(pivots, n, count, n);
    if (simt_library_call_fails() || !there) return CUBLAS_STATUS_EXECUTION_FAILED;
    for (int i = 0; i < count; ++i) {
        if (!is_matrix(a[i], n, n, lda)) return CUBLAS_STATUS_EXECUTION_FAILED;
        Matrix matrix(a[i], n, n, lda);
        info[i] = factor(matrix, pivots ? pivots + size_t(i) * n : nullptr);
        matrix.store(a[i], lda);
    }
    written(info, count, 1, count);
    if (pivots) written(pivots, n, count, n);
    return kSuccess;
}

template <class T>
cublasStatus_t getri(cublasHandle_t handle, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
                     int* info, int count) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || count < 0 || lda < std::max(1, n) || ldc < std::max(1, n)) return kInvalid;
    BlasCall call("cuBLAS getriBatched", handle, 4.0 / 3 * n * n * n * count);
    bool there = is_array(a, count) && is_array(c, count) && is_matrix(info, count, 1, count);
    there &= !pivots || is_matrix(pivots, n, count, n);
    if (simt_library_call_fails() || !there) return CUBLAS_STATUS_EXECUTION_FAILED;
    for (int b = 0; b < count; ++b) {
        if (!is_matrix(a[b], n, n, lda) || !is_matrix(c[b], n, n, ldc)) return CUBLAS_STATUS_EXECUTION_FAILED;
        Matrix inverse(n, n);
        for (int i = 0; i < n; ++i) inverse(i, i) = 1;
        for (int k = 0; k < n && pivots; ++k) {
            int other = pivots[size_t(b) * n + k] - 1;
            for (int j = 0; j < n; ++j) std::swap(inverse(k, j), inverse(other, j));
        }
        solve({CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, n}, 1,
              Matrix(a[b], n, n, lda).numbers.data(), n, inverse.numbers.data(), n);
        solve({CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n}, 1,
              Matrix(a[b], n, n, lda).numbers.data(), n, inverse.numbers.data(), n);
        info[b] = 0;
        for (int k = n; k > 0; --k) info[b] = a[b][size_t(k - 1) * lda + k - 1] == 0 ? k : info[b];
        inverse.store(c[b], ldc);
    }
    written(info, count, 1, count);
    return kSuccess;
}

// Householder's reflections turn A into R, and are made of C as well; 0, or the number of the first zero on R's diagonal.
int least_squares(Matrix& a, Matrix& c) {
    int zero = 0;
    for (int k = 0; k < a.columns; ++k) {
        double norm = 0;
        for (int i = k; i < a.rows; ++i) norm = hypot(norm, a(i, k));
        if (norm == 0) {
            zero = zero ? zero : k + 1;
            continue;
        }
        double first = a(k, k) < 0 ? a(k, k) - norm : a(k, k) + norm, end = a(k, k) < 0 ? norm : -norm;
        double scale = -first / end;  // of the reflection whose vector begins with 1
        for (int i = k + 1; i < a.rows; ++i) a(i, k) /= first;
        auto reflect = [&](Matrix& other, int j) {
            double sum = other(k, j);
            for (int i = k + 1; i < a.rows; ++i) sum += a(i, k) * other(i, j);
            other(k, j) -= scale * sum;
            for (int i = k + 1; i < a.rows; ++i) other(i, j) -= scale * sum * a(i, k);
        };
        for (int j = k + 1; j < a.columns; ++j) reflect(a, j);
        for (int j = 0; j < c.columns; ++j) reflect(c, j);
        a(k, k) = end;
    }
    if (zero) return zero;
    solve({CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, a.columns, c.columns}, 1,
          a.numbers.data(), a.rows, c.numbers.data(), c.rows);
    return 0;
}

template <class T>
cublasStatus_t gels(cublasHandle_t handle, cublasOperation_t op, int m, int n, int columns, T* const* a, int lda, T* const* c,
                    int ldc, int* info, int* infos, int count) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!info) return kInvalid;
    const bool wrong[] = {op != CUBLAS_OP_N,   m < 0, n < 0, columns < 0, false, lda < std::max(1, m), false,
                          ldc < std::max(1, m)};
    *info = 0;
    for (int i = 8; i > 0; --i) *info = wrong[i - 1] ? -i : *info;
    if (*info) return *info == -1 ? CUBLAS_STATUS_NOT_SUPPORTED : kInvalid;
    if (m < n) return CUBLAS_STATUS_NOT_SUPPORTED;  // as cuBLAS: overdetermined systems only
    BlasCall call("cuBLAS gelsBatched", handle, 2.0 * m * n * n * count);
    bool there = is_array(a, count) && is_array(c, count) && (!infos || is_matrix(infos, count, 1, count));
    if (simt_library_call_fails() || !there) return CUBLAS_STATUS_EXECUTION_FAILED;
    for (int b = 0; b < count; ++b) {
        if (!is_matrix(a[b], m, n, lda) || !is_matrix(c[b], m, columns, ldc)) return CUBLAS_STATUS_EXECUTION_FAILED;
        Matrix left(a[b], m, n, lda), right(c[b], m, columns, ldc);
        int zero = least_squares(left, right);
        left.store(a[b], lda);
        right.store(c[b], ldc);
        if (infos) infos[b] = zero;
    }
    if (infos) written(infos, count, 1, count);
    return kSuccess;
}
}  // namespace

extern "C" {
#define SIMT_BLAS(X, T)                                                                                                       \
    cublasStatus_t cublas##X##trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
                                   cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, T* b,        \
                                   int ldb) {                                                                                 \
        return trsm(handle, {side, uplo, op, diagonal, m, n}, alpha, &a, lda, &b, ldb, 1);                                    \
    }                                                                                                                         \
    cublasStatus_t cublas##X##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                \
                                          cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha,      \
                                          const T* const a[], int lda, T* const b[], int ldb, int count) {                    \
        if (handle && (!is_array(a, count) || !is_array(b, count))) return CUBLAS_STATUS_EXECUTION_FAILED;                    \
        return trsm(handle, {side, uplo, op, diagonal, m, n}, alpha, a, lda, b, ldb, count);                                  \
    }                                                                                                                         \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda, int* pivots, int* info,       \
                                           int count) {                                                                       \
        return getrf(handle, n, a, lda, pivots, info, count);                                                                 \
    }                                                                                                                         \
    cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T* const a[], int lda, const int* pivots,      \
                                           T* const c[], int ldc, int* info, int count) {                                     \
        return getri(handle, n, a, lda, pivots, c, ldc, info, count);                                                         \
    }                                                                                                                         \
    cublasStatus_t cublas##X##gelsBatched(cublasHandle_t handle, cublasOperation_t op, int m, int n, int columns,             \
                                          T* const a[], int lda, T* const c[], int ldc, int* info, int* infos, int count) {   \
        return gels(handle, op, m, n, columns, a, lda, c, ldc, info, infos, count);                                           \
    }
SIMT_BLAS(S, float)
SIMT_BLAS(D, double)
#undef SIMT_BLAS
}
