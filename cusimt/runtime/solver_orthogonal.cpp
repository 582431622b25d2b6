// cuSOLVER: QR factorisations, singular values, and eigenvalues of symmetric matrices.
#include "lapack.h"
#include "solver.h"

using namespace simt;

namespace {
// Calls a function of LAPACK with the workspace that it wants.
template <class T, class Call>
void with_workspace(Call call) {
    T wanted = 0;
    call(&wanted, -1);
    std::vector<T> work(std::max<size_t>(1, size_t(wanted)));
    call(work.data(), int(work.size()));
}

template <class T>
cusolverStatus_t geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T* work, int elements, int* info) {
    int needed;
    bool valid = m >= 0 && n >= 0 && lda >= std::max(1, m);
    if (auto wrong = size_of_workspace(handle, valid, n, &needed)) return wrong;
    if (elements < needed) return kInvalid;
    SolverCall call("cuSOLVER geqrf", handle, 2.0 * m * n * std::min(m, n));
    Used factors = vector(tau, std::min(m, n));
    if (auto failed = check({matrix(a, m, n, lda), factors, vector(work, elements), vector(info, 1)})) return failed;
    with_workspace<T>([&](T* own, int size) { lapack_geqrf(&m, &n, a, &lda, tau, own, &size, info); });
    written({matrix(a, m, n, lda), factors, vector(info, 1)});
    return kSuccess;
}

template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau, T* work, int elements,
                       int* info) {
    int needed;
    bool valid = n >= 0 && m >= n && k >= 0 && k <= n && lda >= std::max(1, m);
    if (auto wrong = size_of_workspace(handle, valid, n, &needed)) return wrong;
    if (elements < needed) return kInvalid;
    SolverCall call("cuSOLVER orgqr", handle, 4.0 * m * n * k);
    if (auto failed = check({matrix(a, m, n, lda), vector(tau, k), vector(work, elements), vector(info, 1)})) return failed;
    with_workspace<T>([&](T* own, int size) { lapack_orgqr(&m, &n, &k, a, &lda, tau, own, &size, info); });
    written({matrix(a, m, n, lda), vector(info, 1)});
    return kSuccess;
}

template <class T>
cusolverStatus_t ormqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T* a,
                       int lda, const T* tau, T* c, int ldc, T* work, int elements, int* info) {
    int needed, order = side == CUBLAS_SIDE_LEFT ? m : n;
    bool valid = m >= 0 && n >= 0 && k >= 0 && k <= order && lda >= std::max(1, order) && ldc >= std::max(1, m);
    if (auto wrong = size_of_workspace(handle, valid, m + n - order, &needed)) return wrong;
    if (elements < needed) return kInvalid;
    SolverCall call("cuSOLVER ormqr", handle, 4.0 * m * n * k);
    Used product = matrix(c, m, n, ldc);
    auto failed = check({matrix(a, order, k, lda), vector(tau, k), product, vector(work, elements), vector(info, 1)});
    if (failed) return failed;
    char which = side == CUBLAS_SIDE_LEFT ? 'L' : 'R', way = operation(op);
    with_workspace<T>(
        [&](T* own, int size) { lapack_ormqr(&which, &way, &m, &n, &k, a, &lda, tau, c, &ldc, own, &size, info); });
    written({product, vector(info, 1)});
    return kSuccess;
}

bool is_job(signed char job) { return job == 'A' || job == 'S' || job == 'N'; }

// cuSOLVER's gesvd takes matrices with no fewer rows than columns only.
template <class T>
cusolverStatus_t gesvd(cusolverDnHandle_t handle, signed char job_u, signed char job_vt, int m, int n, T* a, int lda, T* s,
                       T* u, int ldu, T* vt, int ldvt, T* work, int elements, int* info) {
    int needed;
    bool valid = n >= 0 && m >= n && lda >= std::max(1, m) && (job_u == 'N' || ldu >= std::max(1, m)) &&
                 (job_vt == 'N' || ldvt >= std::max(1, n));
    if (auto wrong = size_of_workspace(handle, valid, n, &needed)) return wrong;
    if (job_u == 'O' || job_vt == 'O') return CUSOLVER_STATUS_NOT_SUPPORTED;
    if (!is_job(job_u) || !is_job(job_vt) || elements < needed) return kInvalid;
    SolverCall call("cuSOLVER gesvd", handle, 12.0 * m * n * n);
    int columns = job_u == 'N' ? 0 : job_u == 'A' ? m : n, rows = job_vt == 'N' ? 0 : n;
    Used left = matrix(u, m, columns, ldu), right = matrix(vt, rows, n, ldvt), values = vector(s, n);
    auto failed = check({matrix(a, m, n, lda), values, left, right, vector(work, elements), vector(info, 1)});
    if (failed) return failed;
    // gesdd computes both factors or neither, so the one that was not asked for is dropped.
    char job = columns + rows == 0 ? 'N' : columns == m ? 'A' : 'S';
    int kept = job == 'A' ? m : n;
    std::vector<T> all_left(size_t(m) * size_t(kept)), all_right(size_t(n) * size_t(n));
    std::vector<int> integers(size_t(8) * size_t(std::max(1, n)));
    int ld_left = std::max(1, m), ld_right = std::max(1, n);
    with_workspace<T>([&](T* own, int size) {
        lapack_gesdd(&job, &m, &n, a, &lda, s, all_left.data(), &ld_left, all_right.data(), &ld_right, own, &size,
                     integers.data(), info);
    });
    for (int j = 0; j < columns; ++j) std::copy_n(&all_left[size_t(j) * m], m, u + size_t(j) * ldu);
    for (int j = 0; j < n && rows; ++j) std::copy_n(&all_right[size_t(j) * n], n, vt + size_t(j) * ldvt);
    written({matrix(a, m, n, lda), values, left, right, vector(info, 1)});
    return kSuccess;
}

template <class T>
cusolverStatus_t syevd(cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T* a, int lda, T* w,
                       T* work, int elements, int* info) {
    int needed;
    if (auto wrong = size_of_workspace(handle, n >= 0 && lda >= std::max(1, n), n, &needed)) return wrong;
    if (elements < needed) return kInvalid;
    SolverCall call("cuSOLVER syevd", handle, 9.0 * n * n * n);
    if (auto failed = check({matrix(a, n, n, lda), vector(w, n), vector(work, elements), vector(info, 1)})) return failed;
    char what = job == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N', half = fill(uplo);
    std::vector<int> integers(size_t(5) * size_t(n) + 3);
    int count = int(integers.size());
    with_workspace<T>(
        [&](T* own, int size) { lapack_syevd(&what, &half, &n, a, &lda, w, own, &size, integers.data(), &count, info); });
    written({matrix(a, n, n, lda), vector(w, n), vector(info, 1)});
    return kSuccess;
}
}  // namespace

extern "C" {
#define SIMT_SOLVER(X, T)                                                                                                   \
    cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T*, int lda, int* elements) { \
        return size_of_workspace(handle, m >= 0 && n >= 0 && lda >= std::max(1, m), n, elements);                           \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T* work,          \
                                          int elements, int* info) {                                                        \
        return geqrf(handle, m, n, a, lda, tau, work, elements, info);                                                      \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##orgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T*, int lda,     \
                                                     const T*, int* elements) {                                             \
        return size_of_workspace(handle, m >= n && n >= k && k >= 0 && lda >= std::max(1, m), n, elements);                 \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau,      \
                                          T* work, int elements, int* info) {                                               \
        return orgqr(handle, m, n, k, a, lda, tau, work, elements, info);                                                   \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##ormqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t,   \
                                                     int m, int n, int, const T*, int, const T*, const T*, int,             \
                                                     int* elements) {                                                       \
        return size_of_workspace(handle, m >= 0 && n >= 0, side == CUBLAS_SIDE_LEFT ? n : m, elements);                     \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##ormqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m,    \
                                          int n, int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work,          \
                                          int elements, int* info) {                                                        \
        return ormqr(handle, side, op, m, n, k, a, lda, tau, c, ldc, work, elements, info);                                 \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* elements) {              \
        return size_of_workspace(handle, n >= 0 && m >= n, n, elements);                                                    \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char job_u, signed char job_vt, int m, int n,   \
                                          T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt, T* work, int elements, T*,   \
                                          int* info) {                                                                      \
        return gesvd(handle, job_u, job_vt, m, n, a, lda, s, u, ldu, vt, ldvt, work, elements, info);                       \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##syevd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int n, \
                                                     const T*, int lda, const T*, int* elements) {                          \
        return size_of_workspace(handle, n >= 0 && lda >= std::max(1, n), n, elements);                                     \
    }                                                                                                                       \
    cusolverStatus_t cusolverDn##X##syevd(cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo, int n,   \
                                          T* a, int lda, T* w, T* work, int elements, int* info) {                          \
        return syevd(handle, job, uplo, n, a, lda, w, work, elements, info);                                                \
    }
SIMT_SOLVER(S, float)
SIMT_SOLVER(D, double)
#undef SIMT_SOLVER
}
