// cuSOLVER: Cholesky and LU factorisations, and solving with them.
#include "lapack.h"
#include "solver.h"

using namespace simt;

namespace {
constexpr auto kSuccess = CUSOLVER_STATUS_SUCCESS, kInvalid = CUSOLVER_STATUS_INVALID_VALUE;

// Without pivots, which cuSOLVER does on request.
template <class T>
int factor_as_it_is(int m, int n, T* a, int lda) {
    int zero = 0;
    for (int k = 0; k < std::min(m, n); ++k) {
        T* column = a + size_t(k) * lda;
        if (column[k] == 0) {
            zero = zero ? zero : k + 1;
            continue;
        }
        for (int i = k + 1; i < m; ++i) column[i] /= column[k];
        for (int j = k + 1; j < n; ++j) {
            T* other = a + size_t(j) * lda;
            for (int i = k + 1; i < m; ++i) other[i] -= column[i] * other[k];
        }
    }
    return zero;
}

cusolverStatus_t size_of_workspace(cusolverDnHandle_t handle, int m, int n, int lda, int* elements) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!elements || m < 0 || n < 0 || lda < std::max(1, m)) return kInvalid;
    *elements = std::max(1, n);  // LAPACK has its own, on the host
    return kSuccess;
}

template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda, T* work, int elements,
                       int* info) {
    int needed;
    if (cusolverStatus_t wrong = size_of_workspace(handle, n, n, lda, &needed)) return wrong;
    if (elements < needed) return kInvalid;
    SolverCall call("cuSOLVER potrf", handle, double(n) * n * n / 3);
    if (auto failed = check({matrix(a, n, n, lda), vector(work, elements), vector(info, 1)})) return failed;
    char half = fill(uplo);
    lapack_potrf(&half, &n, a, &lda, info);
    written({matrix(a, n, n, lda), vector(info, 1)});
    return kSuccess;
}

template <class T>
cusolverStatus_t potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int columns, const T* a, int lda, T* b, int ldb,
                       int* info) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return kInvalid;
    SolverCall call("cuSOLVER potrs", handle, 2.0 * n * n * columns);
    if (auto failed = check({matrix(a, n, n, lda), matrix(b, n, columns, ldb), vector(info, 1)})) return failed;
    char half = fill(uplo);
    lapack_potrs(&half, &n, &columns, a, &lda, b, &ldb, info);
    written({matrix(b, n, columns, ldb), vector(info, 1)});
    return kSuccess;
}

template <class T>
cusolverStatus_t getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {
    int needed;
    if (cusolverStatus_t wrong = size_of_workspace(handle, m, n, lda, &needed)) return wrong;
    SolverCall call("cuSOLVER getrf", handle, 2.0 / 3 * m * n * std::min(m, n));
    Used rows = vector(pivots, pivots ? std::min(m, n) : 0);
    if (auto failed = check({matrix(a, m, n, lda), vector(work, needed), rows, vector(info, 1)})) return failed;
    if (pivots) lapack_getrf(&m, &n, a, &lda, pivots, info);
    else *info = factor_as_it_is(m, n, a, lda);
    written({matrix(a, m, n, lda), rows, vector(info, 1)});
    return kSuccess;
}

template <class T>
cusolverStatus_t getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int columns, const T* a, int lda,
                       const int* pivots, T* b, int ldb, int* info) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return kInvalid;
    SolverCall call("cuSOLVER getrs", handle, 2.0 * n * n * columns);
    Used rows = vector(pivots, pivots ? n : 0);
    if (auto failed = check({matrix(a, n, n, lda), rows, matrix(b, n, columns, ldb), vector(info, 1)})) return failed;
    std::vector<int> order(pivots ? pivots : nullptr, pivots ? pivots + n : nullptr);
    for (int i = 0; i < n && !pivots; ++i) order.push_back(i + 1);
    char way = operation(op);
    lapack_getrs(&way, &n, &columns, a, &lda, order.data(), b, &ldb, info);
    written({matrix(b, n, columns, ldb), vector(info, 1)});
    return kSuccess;
}
}  // namespace

extern "C" {
#define SIMT_SOLVER(X, T)                                                                                                   \
    cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, int n, T*, int lda,       \
                                                     int* elements) {                                                       \
        return size_of_workspace(handle, n, n, lda, elements);                                                              \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda, T* work,  \
                                          int elements, int* info) {                                                        \
        return potrf(handle, uplo, n, a, lda, work, elements, info);                                                        \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int columns, const T* a, \
                                          int lda, T* b, int ldb, int* info) {                                              \
        return potrs(handle, uplo, n, columns, a, lda, b, ldb, info);                                                       \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T*, int lda, int* elements) { \
        return size_of_workspace(handle, m, n, lda, elements);                                                              \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots,     \
                                          int* info) {                                                                      \
        return getrf(handle, m, n, a, lda, work, pivots, info);                                                             \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int columns, const T* a,  \
                                          int lda, const int* pivots, T* b, int ldb, int* info) {                           \
        return getrs(handle, op, n, columns, a, lda, pivots, b, ldb, info);                                                 \
    }
SIMT_SOLVER(S, float)
SIMT_SOLVER(D, double)
#undef SIMT_SOLVER
}
