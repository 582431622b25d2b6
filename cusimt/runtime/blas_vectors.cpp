// cuBLAS, float and double: vectors, matrix times vector, sums of matrices.
#include <math.h>

#include <algorithm>
#include <vector>

#include "blas.h"

using namespace simt;

namespace {

// A vector of BLAS: `n` elements `step` apart; with a negative step the first one lies last in memory.
template <class T>
class Vector {
  public:
    Vector(T* elements, ptrdiff_t n, ptrdiff_t step) : elements_(elements), n_(n), step_(step) {
        if (step < 0 && n > 0) elements_ += (1 - n) * step;
    }
    T& operator[](ptrdiff_t i) const { return elements_[i * step_]; }
    bool is_accessible() const {
        if (n_ <= 0) return true;
        const T *first = &(*this)[0], *last = &(*this)[n_ - 1];
        size_t span = size_t(first < last ? last - first : first - last) + 1;
        return step_ != 0 && simt::is_accessible(std::min(first, last), span * sizeof(T));
    }
    void mark() const {
        for (ptrdiff_t i = 0; i < n_; ++i) simt_mark_written(&(*this)[i], sizeof(T), SIMT_LIBRARY);
    }

  private:
    T* elements_;
    ptrdiff_t n_, step_;
};

// Does `work` if all `vectors` can be reached. The number of operations is an estimate, for the clock.
template <class Work, class... Vectors>
cublasStatus_t run(cublasHandle_t handle, double operations, Work work, const Vectors&... vectors) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    BlasCall call("cuBLAS vectors", handle, operations);
    if (!(vectors.is_accessible() && ...) || simt_library_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    work();
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t sum(cublasHandle_t handle, int n, const T* x, int incx, T* result, bool squares) {
    Vector<const T> v(x, n, incx);
    return run(
        handle, n,
        [&] {
            double total = 0;
            for (int i = 0; i < n; ++i) total += squares ? double(v[i]) * v[i] : fabs(double(v[i]));
            give(result, T(squares ? sqrt(total) : total));
        },
        v);
}

// Counted from 1; 0 for an empty vector.
template <class T>
cublasStatus_t extreme(cublasHandle_t handle, int n, const T* x, int incx, int* result, int sign) {
    Vector<const T> v(x, n, incx);
    return run(
        handle, n,
        [&] {
            int best = 0;
            for (int i = 1; i < n; ++i) best = sign * fabs(v[i]) > sign * fabs(v[best]) ? i : best;
            give(result, n > 0 ? best + 1 : 0);
        },
        v);
}

template <class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) {
    Vector<const T> v(x, n, incx), w(y, n, incy);
    return run(
        handle, n,
        [&] {
            double total = 0;
            for (int i = 0; i < n; ++i) total += double(v[i]) * w[i];
            give(result, T(total));
        },
        v, w);
}

template <class T>
cublasStatus_t scale(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {
    Vector<T> v(x, n, incx);
    return run(
        handle, n,
        [&] {
            T factor = *alpha;
            for (int i = 0; i < n; ++i) v[i] *= factor;
            v.mark();
        },
        v);
}

template <class T>
cublasStatus_t add(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
    Vector<const T> v(x, n, incx);
    Vector<T> w(y, n, incy);
    return run(
        handle, n,
        [&] {
            T factor = *alpha;
            for (int i = 0; i < n; ++i) w[i] += factor * v[i];
            w.mark();
        },
        v, w);
}

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
    Vector<const T> v(x, n, incx);
    Vector<T> w(y, n, incy);
    return run(
        handle, n,
        [&] {
            for (int i = 0; i < n; ++i) w[i] = v[i];
            w.mark();
        },
        v, w);
}

template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
    Vector<T> v(x, n, incx), w(y, n, incy);
    return run(
        handle, n,
        [&] {
            for (int i = 0; i < n; ++i) std::swap(v[i], w[i]);
            v.mark(), w.mark();
        },
        v, w);
}

// A matrix in column-major order as the vector of all that lies between its first and its last element.
template <class T>
Vector<T> whole(T* matrix, int rows, int cols, int ld) {
    return Vector<T>(matrix, rows > 0 && cols > 0 ? ptrdiff_t(cols - 1) * ld + rows : 0, 1);
}

template <class T>
cublasStatus_t matrix_vector(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha, const T* a, int lda,
                             const T* x, int incx, const T* beta, T* y, int incy) {
    if (m < 0 || n < 0 || lda < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
    int results = op == CUBLAS_OP_N ? m : n, terms = op == CUBLAS_OP_N ? n : m;
    Vector<const T> v(x, terms, incx);
    Vector<T> w(y, results, incy);
    return run(
        handle, double(m) * n,
        [&] {
            T factor = *alpha, rest = *beta;
            for (int i = 0; i < results; ++i) {
                T total = 0;
                for (int k = 0; k < terms; ++k)
                    total += (op == CUBLAS_OP_N ? a[i + ptrdiff_t(k) * lda] : a[k + ptrdiff_t(i) * lda]) * v[k];
                w[i] = factor * total + (rest == 0 ? 0 : rest * w[i]);  // what y held before may be NaN then
            }
            w.mark();
        },
        v, w, whole(a, m, n, lda));
}

template <class T>
cublasStatus_t outer_product(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy,
                             T* a, int lda) {
    if (m < 0 || n < 0 || lda < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
    Vector<const T> v(x, m, incx), w(y, n, incy);
    return run(
        handle, double(m) * n,
        [&] {
            T factor = *alpha;
            for (int column = 0; column < n; ++column) {
                T* target = a + ptrdiff_t(column) * lda;
                for (int row = 0; row < m; ++row) target[row] += factor * v[row] * w[column];
                simt_mark_written(target, size_t(m) * sizeof(T), SIMT_LIBRARY);
            }
        },
        v, w, whole(a, m, n, lda));
}

template <class T>
cublasStatus_t add_matrices(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, const T* alpha,
                            const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
    if (m < 0 || n < 0 || ldc < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
    auto source = [&](const T* matrix, cublasOperation_t op, int ld) {
        return op == CUBLAS_OP_N ? whole(matrix, m, n, ld) : whole(matrix, n, m, ld);
    };
    auto element = [](const T* matrix, cublasOperation_t op, int ld, int row, int column) {
        return op == CUBLAS_OP_N ? matrix[row + ptrdiff_t(column) * ld] : matrix[column + ptrdiff_t(row) * ld];
    };
    T first = *alpha, second = *beta;  // a matrix whose factor is 0 is not read: it may be null
    Vector<const T> none(nullptr, 0, 1);
    return run(
        handle, double(m) * n,
        [&] {
            std::vector<T> sum(size_t(m) * n);  // C may be A or B
            for (int i = 0; i < m * n; ++i) {
                sum[i] = (first == 0 ? 0 : first * element(a, op_a, lda, i % m, i / m)) +
                         (second == 0 ? 0 : second * element(b, op_b, ldb, i % m, i / m));
            }
            for (int column = 0; column < n; ++column) {
                T* target = c + ptrdiff_t(column) * ldc;
                std::copy_n(&sum[size_t(column) * m], m, target);
                simt_mark_written(target, size_t(m) * sizeof(T), SIMT_LIBRARY);
            }
        },
        first == 0 ? none : source(a, op_a, lda), second == 0 ? none : source(b, op_b, ldb), whole(c, m, n, ldc));
}

}  // namespace

#define SIMT_BLAS(X, x_, T)                                                                                                  \
    cublasStatus_t cublasI##x_##amax(cublasHandle_t handle, int n, const T* x, int incx, int* result) {                      \
        return extreme(handle, n, x, incx, result, 1);                                                                       \
    }                                                                                                                        \
    cublasStatus_t cublasI##x_##amin(cublasHandle_t handle, int n, const T* x, int incx, int* result) {                      \
        return extreme(handle, n, x, incx, result, -1);                                                                      \
    }                                                                                                                        \
    cublasStatus_t cublas##X##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result) {                          \
        return sum(handle, n, x, incx, result, false);                                                                       \
    }                                                                                                                        \
    cublasStatus_t cublas##X##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result) {                          \
        return sum(handle, n, x, incx, result, true);                                                                        \
    }                                                                                                                        \
    cublasStatus_t cublas##X##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) {     \
        return dot(handle, n, x, incx, y, incy, result);                                                                     \
    }                                                                                                                        \
    cublasStatus_t cublas##X##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {                           \
        return scale(handle, n, alpha, x, incx);                                                                             \
    }                                                                                                                        \
    cublasStatus_t cublas##X##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {     \
        return add(handle, n, alpha, x, incx, y, incy);                                                                      \
    }                                                                                                                        \
    cublasStatus_t cublas##X##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {                     \
        return copy(handle, n, x, incx, y, incy);                                                                            \
    }                                                                                                                        \
    cublasStatus_t cublas##X##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {                           \
        return swap(handle, n, x, incx, y, incy);                                                                            \
    }                                                                                                                        \
    cublasStatus_t cublas##X##gemv(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha, const T* a,    \
                                   int lda, const T* x, int incx, const T* beta, T* y, int incy) {                           \
        return matrix_vector(handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                                       \
    }                                                                                                                        \
    cublasStatus_t cublas##X##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y,     \
                                  int incy, T* a, int lda) {                                                                 \
        return outer_product(handle, m, n, alpha, x, incx, y, incy, a, lda);                                                 \
    }                                                                                                                        \
    cublasStatus_t cublas##X##geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,      \
                                   const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) { \
        return add_matrices(handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                  \
    }

extern "C" {
SIMT_BLAS(S, s, float)
SIMT_BLAS(D, d, double)
}
