// cuSOLVER's Jacobi methods: singular values, and eigenvalues of symmetric and Hermitian matrices. They are computed by such a
// method here, too, in double, so that tolerance, number of sweeps and residual mean what they mean there.
#include <cmath>
#include <complex>
#include <limits>
#include <new>
#include <numeric>
#include <type_traits>
#include <vector>

#include "solver.h"

using namespace simt;

namespace {
struct Method {
    double tolerance = 0;  // 0: as accurate as the type of the elements
    int most_sweeps = 100;
    bool sorted = true;
    double residual = 0;  // of the last call
    int sweeps = 0;
    bool batched = false;
};
}  // namespace

struct gesvdjInfo : Method {};
struct syevjInfo : Method {};

namespace {
template <class T>
struct ElementOf {
    using Number = double;
    using Real = T;
    static Number read(T value) { return value; }
    static T write(Number value) { return T(value); }
};
template <class T, class R>
struct ComplexElement {
    using Number = std::complex<double>;
    using Real = R;
    static Number read(T value) { return {value.x, value.y}; }
    static T write(Number value) { return {R(value.real()), R(value.imag())}; }
};
template <>
struct ElementOf<cuComplex> : ComplexElement<cuComplex, float> {};
template <>
struct ElementOf<cuDoubleComplex> : ComplexElement<cuDoubleComplex, double> {};

double conjugated(double value) { return value; }
std::complex<double> conjugated(std::complex<double> value) { return std::conj(value); }

// Column by column, without gaps.
template <class Number>
struct Columns {
    int rows, count;
    std::vector<Number> values = std::vector<Number>(size_t(rows) * size_t(count));
    Number* operator[](int j) { return values.data() + size_t(j) * size_t(rows); }
    double norm(int j) { return std::sqrt(std::real(product(j, j))); }
    // The inner product of two columns; the first one is conjugated.
    Number product(int i, int j) {
        Number sum = 0;
        for (int k = 0; k < rows; ++k) sum += conjugated((*this)[i][k]) * (*this)[j][k];
        return sum;
    }
    void become_identity() {
        for (int j = 0; j < count; ++j) (*this)[j][j] = 1;
    }
};

// The rotation of two vectors p and q that makes a Hermitian form of them diagonal, if it has `pp` and `qq` on its diagonal and
// `pq` beside it.
template <class Number>
struct Rotation {
    double cosine, sine;
    Number turn;  // of q, by which `pq` becomes real
    Rotation(double pp, double qq, Number pq) {
        double size = std::abs(pq), ratio = (qq - pp) / (2 * size);
        double tangent = (ratio < 0 ? -1 : 1) / (std::abs(ratio) + std::hypot(1, ratio));
        cosine = 1 / std::hypot(1, tangent);
        sine = tangent * cosine;
        turn = conjugated(pq) / size;
    }
    void apply(Columns<Number>& all, int p, int q) const {
        Number *left = all[p], *right = all[q];
        for (int k = 0; k < all.rows; ++k) {
            Number a = left[k], b = turn * right[k];
            left[k] = cosine * a - sine * b;
            right[k] = sine * a + cosine * b;
        }
    }
    void apply_to_rows(Columns<Number>& all, int p, int q) const {
        for (int k = 0; k < all.count; ++k) {
            Number a = all[k][p], b = conjugated(turn) * all[k][q];
            all[k][p] = cosine * a - sine * b;
            all[k][q] = sine * a + cosine * b;
        }
    }
};

template <class T>
double threshold(const Method& method, int order) {
    using Real = typename ElementOf<T>::Real;
    return std::max(method.tolerance, 4 * std::sqrt(double(order)) * double(std::numeric_limits<Real>::epsilon()));
}

// Which of `values` comes first, second, and so on.
std::vector<int> order_of(const std::vector<double>& values, bool sorted, bool descending) {
    std::vector<int> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int i, int j) { return descending ? values[i] > values[j] : values[i] < values[j]; };
    if (sorted) std::stable_sort(order.begin(), order.end(), before);
    return order;
}

// Makes the columns of `all` that are not `set` orthonormal to the others.
template <class Number>
void complete(Columns<Number>& all, std::vector<bool>& set) {
    for (int j = 0; j < all.count; ++j) {
        for (int tried = 0; !set[j] && tried < all.rows; ++tried) {
            std::fill_n(all[j], all.rows, Number(0));
            all[j][(j + tried) % all.rows] = 1;
            for (int pass = 0; pass < 2; ++pass) {
                for (int i = 0; i < all.count; ++i) {
                    if (!set[i]) continue;
                    Number part = all.product(i, j);
                    for (int k = 0; k < all.rows; ++k) all[j][k] -= part * all[i][k];
                }
            }
            double size = all.norm(j);
            set[j] = size > 0.5 / std::sqrt(double(all.rows));  // some unit vector is twice as far off
            for (int k = 0; k < all.rows; ++k) all[j][k] /= size;
        }
    }
}

// What rounding leaves of a column: shorter ones have no direction.
double noise(const std::vector<double>& norms) {
    double sum = 0;
    for (double norm : norms) sum = std::hypot(sum, norm);
    return sum * std::numeric_limits<double>::epsilon();
}

// The singular values of `a`, which has at least as many rows as columns and becomes the left factor; `v` becomes the right one.
template <class T, class Number>
bool decompose(Columns<Number>& a, Columns<Number>& v, std::vector<double>& s, Method& method) {
    auto measure = [&] {
        for (int j = 0; j < a.count; ++j) s[j] = a.norm(j);
    };
    measure();
    double limit = threshold<T>(method, a.rows), least = noise(s);
    v.become_identity();
    bool rotated = true;
    for (method.sweeps = 0; rotated && method.sweeps < method.most_sweeps; ++method.sweeps) {
        rotated = false;
        for (int p = 0; p < a.count; ++p) {
            for (int q = p + 1; q < a.count; ++q) {
                Number pq = a.product(p, q);
                double first = a.norm(p), second = a.norm(q);
                if (std::abs(pq) <= limit * first * second || std::min(first, second) <= least) continue;
                Rotation<Number> rotation(first * first, second * second, pq);
                rotation.apply(a, p, q);
                rotation.apply(v, p, q);
                rotated = true;
            }
        }
    }
    measure();
    return !rotated;
}

template <class T>
struct Batch {  // of matrices one behind the other
    using Number = typename ElementOf<T>::Number;
    T* memory;
    int rows, count, ld, stride;  // `stride` columns from one to the next
    T* at(int k, int j) const { return memory + (size_t(k) * size_t(stride) + size_t(j)) * size_t(ld); }
    Used used(int matrices) const { return matrix(memory, rows, stride * (matrices - 1) + count, ld); }
    void read(int k, Columns<Number>& to, bool transposed) const {
        for (int j = 0; j < count; ++j) {
            for (int i = 0; i < rows; ++i) {
                Number value = ElementOf<T>::read(at(k, j)[i]);
                (transposed ? to[i][j] : to[j][i]) = transposed ? conjugated(value) : value;
            }
        }
    }
    void write(int k, Columns<Number>& from, bool transposed) const {
        for (int j = 0; j < count; ++j) {
            for (int i = 0; i < rows; ++i) {
                at(k, j)[i] = ElementOf<T>::write(transposed ? conjugated(from[i][j]) : from[j][i]);
            }
        }
    }
    void write(int k, int j, const Number* column) const {
        for (int i = 0; i < rows; ++i) at(k, j)[i] = ElementOf<T>::write(column[i]);
    }
};

template <class T, class R>
void singular_values(int k, const Batch<T>& a, R* s, const Batch<T>* u, const Batch<T>* v, int* info, Method& method) {
    using Number = typename ElementOf<T>::Number;
    bool wide = a.rows < a.count;
    int longer = std::max(a.rows, a.count), shorter = std::min(a.rows, a.count);
    Columns<Number> left{longer, shorter}, right{shorter, shorter};
    std::vector<double> values(shorter);
    a.read(k, left, wide);
    bool converged = decompose<T>(left, right, values, method);
    a.write(k, left, wide);
    info[k] = converged ? 0 : shorter + 1;
    double least = noise(values);
    auto order = order_of(values, method.sorted || !method.batched, true);
    const Batch<T>*of_left = wide ? v : u, *of_right = wide ? u : v;
    Columns<Number> whole{longer, std::max(shorter, of_left ? of_left->count : 0)};
    std::vector<bool> set(size_t(whole.count), false);
    method.residual = 0;
    for (int j = 0; j < shorter; ++j) {
        double size = values[order[j]];
        s[size_t(k) * size_t(shorter) + j] = R(size);
        set[j] = size > least;
        for (int i = 0; set[j] && i < longer; ++i) whole[j][i] = left[order[j]][i] / size;
        for (int i = 0; set[j] && i < shorter; ++i) {
            if (i != order[j] && values[i] > least)
                method.residual = std::hypot(method.residual, std::abs(left.product(order[j], i)) / size);
        }
    }
    if (!of_left) return;
    complete(whole, set);
    for (int j = 0; j < of_left->count; ++j) of_left->write(k, j, whole[j]);
    for (int j = 0; j < of_right->count; ++j) of_right->write(k, j, right[order[j]]);
}

template <class T, class R>
cusolverStatus_t gesvdj(const char* name, cusolverDnHandle_t handle, cusolverEigMode_t job, bool econ, int m, int n, T* a,
                        int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int elements, int* info, Method* method,
                        int batch) {
    bool vectors = job == CUSOLVER_EIG_MODE_VECTOR, valid = method && m >= 0 && n >= 0 && batch >= 0 && lda >= std::max(1, m);
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!valid || elements < std::max(1, (m + n) * batch) || (vectors && (ldu < std::max(1, m) || ldv < std::max(1, n))))
        return kInvalid;
    SolverCall call(name, handle, 12.0 * m * n * std::min(m, n) * batch);
    int shorter = std::min(m, n), left_columns = econ ? shorter : m, right_columns = econ ? shorter : n;
    Batch<T> of_a{a, m, n, lda, n}, left{u, m, left_columns, ldu, m}, right{v, n, right_columns, ldv, n};
    Used values = vector(s, shorter * batch), infos = vector(info, batch);
    Used of_left = vectors ? left.used(batch) : Used{}, of_right = vectors ? right.used(batch) : Used{};
    if (auto failed = check({of_a.used(batch), values, of_left, of_right, infos, vector(work, elements)})) return failed;
    for (int k = 0; k < batch; ++k) {
        singular_values(k, of_a, s, vectors ? &left : nullptr, vectors ? &right : nullptr, info, *method);
    }
    written({of_a.used(batch), values, of_left, of_right, infos});
    return kSuccess;
}

template <class T, class R>
void eigenvalues(int k, const Batch<T>& a, bool lower, R* w, bool vectors, int* info, Method& method) {
    using Number = typename ElementOf<T>::Number;
    int n = a.rows;
    Columns<Number> form{n, n}, basis{n, n};
    a.read(k, form, false);
    for (int j = 0; j < n; ++j) {
        form[j][j] = std::real(form[j][j]);
        for (int i = j + 1; i < n; ++i) (lower ? form[i][j] : form[j][i]) = conjugated(lower ? form[j][i] : form[i][j]);
    }
    basis.become_identity();
    double whole = 0;
    for (int j = 0; j < n; ++j) whole = std::hypot(whole, form.norm(j));
    auto beside = [&] {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) sum += i == j ? 0 : std::norm(form[j][i]);
        }
        return std::sqrt(sum);
    };
    double limit = threshold<T>(method, n) * whole;
    method.residual = beside();
    for (method.sweeps = 0; !(method.residual <= limit) && method.sweeps < method.most_sweeps; ++method.sweeps) {
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (form[q][p] == Number(0)) continue;
                Rotation<Number> rotation(std::real(form[p][p]), std::real(form[q][q]), form[q][p]);
                rotation.apply(form, p, q);
                rotation.apply_to_rows(form, p, q);
                rotation.apply(basis, p, q);
            }
        }
        method.residual = beside();
    }
    info[k] = method.residual <= limit ? 0 : n + 1;
    std::vector<double> values(n);
    for (int j = 0; j < n; ++j) values[j] = std::real(form[j][j]);
    auto order = order_of(values, method.sorted || !method.batched, false);
    for (int j = 0; j < n; ++j) {
        w[size_t(k) * size_t(n) + j] = R(values[order[j]]);
        a.write(k, j, vectors ? basis[order[j]] : form[j]);
    }
}

template <class T, class R>
cusolverStatus_t syevj(const char* name, cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T* a,
                       int lda, R* w, T* work, int elements, int* info, Method* method, int batch) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!method || n < 0 || batch < 0 || lda < std::max(1, n) || elements < std::max(1, n * batch)) return kInvalid;
    SolverCall call(name, handle, 9.0 * n * n * n * batch);
    Batch<T> of_a{a, n, n, lda, n};
    Used values = vector(w, n * batch), infos = vector(info, batch);
    if (auto failed = check({of_a.used(batch), values, infos, vector(work, elements)})) return failed;
    for (int k = 0; k < batch; ++k) {
        eigenvalues(k, of_a, uplo == CUBLAS_FILL_MODE_LOWER, w, job == CUSOLVER_EIG_MODE_VECTOR, info, *method);
    }
    written({of_a.used(batch), values, infos});
    return kSuccess;
}

template <class Info>
cusolverStatus_t create(Info** method) {
    if (!method) return kInvalid;
    *method = new (std::nothrow) Info;
    return *method ? kSuccess : CUSOLVER_STATUS_ALLOC_FAILED;
}

// Says what the last call left in `field`; of a batch there is no one answer.
template <class Value>
cusolverStatus_t tell(cusolverDnHandle_t handle, const Method* method, Value Method::* field, Value* answer) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!method || !answer) return kInvalid;
    if (method->batched) return CUSOLVER_STATUS_NOT_SUPPORTED;
    *answer = method->*field;
    return kSuccess;
}

template <class Value>
cusolverStatus_t set(Method* method, Value Method::* field, Value value) {
    if (!method || !(value >= Value(0))) return kInvalid;
    method->*field = value;
    return kSuccess;
}

Method* for_batches(Method* method, bool batched) {
    if (method) method->batched = batched;
    return method;
}

constexpr int kLongestOfBatch = 32;  // rows and columns of gesvdjBatched
bool fits_batch(int m, int n, int batch) { return m <= kLongestOfBatch && n <= kLongestOfBatch && batch >= 0; }
}  // namespace

extern "C" {
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* method) { return create(method); }
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* method) { return create(method); }
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t method) {
    delete method;
    return kSuccess;
}
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t method) {
    delete method;
    return kSuccess;
}
#define SIMT_JACOBI(NAME)                                                                                               \
    cusolverStatus_t cusolverDnX##NAME##SetTolerance(NAME##Info_t method, double tolerance) {                           \
        return set(method, &Method::tolerance, tolerance);                                                              \
    }                                                                                                                   \
    cusolverStatus_t cusolverDnX##NAME##SetMaxSweeps(NAME##Info_t method, int sweeps) {                                 \
        return set(method, &Method::most_sweeps, sweeps);                                                               \
    }                                                                                                                   \
    cusolverStatus_t cusolverDnX##NAME##SetSortEig(NAME##Info_t method, int sorted) {                                   \
        return set(method, &Method::sorted, sorted != 0);                                                               \
    }                                                                                                                   \
    cusolverStatus_t cusolverDnX##NAME##GetResidual(cusolverDnHandle_t handle, NAME##Info_t method, double* residual) { \
        return tell(handle, method, &Method::residual, residual);                                                       \
    }                                                                                                                   \
    cusolverStatus_t cusolverDnX##NAME##GetSweeps(cusolverDnHandle_t handle, NAME##Info_t method, int* sweeps) {        \
        return tell(handle, method, &Method::sweeps, sweeps);                                                           \
    }
SIMT_JACOBI(gesvdj)
SIMT_JACOBI(syevj)
#undef SIMT_JACOBI

#define SIMT_SOLVER(X, EIGENVALUES, T, R)                                                                                     \
    cusolverStatus_t cusolverDn##X##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t, int, int m, int n,        \
                                                      const T*, int lda, const R*, const T*, int, const T*, int,              \
                                                      int* elements, gesvdjInfo_t method) {                                   \
        return size_of_workspace(handle, method && m >= 0 && n >= 0 && lda >= std::max(1, m), m + n, elements);               \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t job, int econ, int m, int n, T* a,    \
                                           int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int elements, int* info,     \
                                           gesvdjInfo_t method) {                                                             \
        return gesvdj("cuSOLVER gesvdj", handle, job, econ != 0, m, n, a, lda, s, u, ldu, v, ldv, work, elements, info,       \
                      for_batches(method, false), 1);                                                                         \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##gesvdjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t, int m, int n,      \
                                                             const T*, int lda, const R*, const T*, int, const T*, int,       \
                                                             int* elements, gesvdjInfo_t method, int batch) {                 \
        bool valid = method && m >= 0 && n >= 0 && lda >= std::max(1, m) && fits_batch(m, n, batch);                          \
        return size_of_workspace(handle, valid, (m + n) * batch, elements);                                                   \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t job, int m, int n, T* a,       \
                                                  int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int elements,         \
                                                  int* info, gesvdjInfo_t method, int batch) {                                \
        if (!fits_batch(m, n, batch)) return kInvalid;                                                                        \
        return gesvdj("cuSOLVER gesvdjBatched", handle, job, false, m, n, a, lda, s, u, ldu, v, ldv, work, elements, info,    \
                      for_batches(method, true), batch);                                                                      \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##EIGENVALUES##_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t,  \
                                                             int n, const T*, int lda, const R*, int* elements,               \
                                                             syevjInfo_t method) {                                            \
        return size_of_workspace(handle, method && n >= 0 && lda >= std::max(1, n), n, elements);                             \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##EIGENVALUES(cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo,      \
                                                int n, T* a, int lda, R* w, T* work, int elements, int* info,                 \
                                                syevjInfo_t method) {                                                         \
        return syevj("cuSOLVER syevj", handle, job, uplo, n, a, lda, w, work, elements, info, for_batches(method, false), 1); \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##EIGENVALUES##Batched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t,             \
                                                                    cublasFillMode_t, int n, const T*, int lda, const R*,     \
                                                                    int* elements, syevjInfo_t method, int batch) {           \
        bool valid = method && n >= 0 && batch >= 0 && lda >= std::max(1, n);                                                 \
        return size_of_workspace(handle, valid, n * batch, elements);                                                         \
    }                                                                                                                         \
    cusolverStatus_t cusolverDn##X##EIGENVALUES##Batched(cusolverDnHandle_t handle, cusolverEigMode_t job,                    \
                                                         cublasFillMode_t uplo, int n, T* a, int lda, R* w, T* work,          \
                                                         int elements, int* info, syevjInfo_t method, int batch) {            \
        return syevj("cuSOLVER syevjBatched", handle, job, uplo, n, a, lda, w, work, elements, info,                          \
                     for_batches(method, true), batch);                                                                       \
    }
SIMT_SOLVER(S, syevj, float, float)
SIMT_SOLVER(D, syevj, double, double)
SIMT_SOLVER(C, heevj, cuComplex, float)
SIMT_SOLVER(Z, heevj, cuDoubleComplex, double)
#undef SIMT_SOLVER
}
