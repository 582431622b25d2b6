// cuSPARSE: sparse times dense, dense times dense at the places of a sparse matrix, sparse to dense.
//
// A result depends on nothing but its arguments: sums run in the order of the entries, in the type to compute in.
#include <string.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sparse.h"

using namespace simt;

namespace {

// The workspace must exist; its size has no meaning here, and cuSPARSE documents none.
size_t workspace_bytes(const cusparseSpMatDescr& m) { return 256 + static_cast<size_t>(m.rows) * 4; }

bool use_workspace(void* buffer, const cusparseSpMatDescr& m) {
    if (!is_accessible(buffer, workspace_bytes(m))) return false;
    memset(buffer, 0, workspace_bytes(m));
    simt_mark_written(buffer, workspace_bytes(m), SIMT_LIBRARY);
    return true;
}

int64_t index_at(cusparseIndexType_t type, const void* indices, int64_t i) {
    return type == CUSPARSE_INDEX_64I ? static_cast<const int64_t*>(indices)[i] : static_cast<const int32_t*>(indices)[i];
}

// ---- sparse operands ----
bool is_reachable(const cusparseSpMatDescr& m) {
    int64_t outer = m.format == CUSPARSE_FORMAT_COO ? m.nnz : (m.format == CUSPARSE_FORMAT_CSR ? m.rows : m.cols) + 1;
    return is_accessible(m.outer, static_cast<size_t>(outer) * bytes_of(m.outer_type)) &&
           is_accessible(m.inner, static_cast<size_t>(m.nnz) * bytes_of(m.inner_type)) &&
           is_accessible(m.values, static_cast<size_t>(m.nnz) * bytes_of(m.value_type));
}

// Calls visit(row, column, k) for each entry k. False where an index points out of the matrix: a GPU would fault.
template <class Visit>
bool for_each_entry(const cusparseSpMatDescr& m, Visit visit) {
    auto outer = [&](int64_t i) { return index_at(m.outer_type, m.outer, i) - m.base; };
    auto entry = [&](int64_t major, int64_t k) {
        int64_t minor = index_at(m.inner_type, m.inner, k) - m.base;
        int64_t row = m.format == CUSPARSE_FORMAT_CSC ? minor : major, column = m.format == CUSPARSE_FORMAT_CSC ? major : minor;
        if (row < 0 || row >= m.rows || column < 0 || column >= m.cols) return false;
        visit(row, column, k);
        return true;
    };
    if (m.format == CUSPARSE_FORMAT_COO) {
        for (int64_t k = 0; k < m.nnz; ++k)
            if (!entry(outer(k), k)) return false;
        return true;
    }
    int64_t majors = m.format == CUSPARSE_FORMAT_CSR ? m.rows : m.cols;
    for (int64_t i = 0; i < majors; ++i)
        for (int64_t k = outer(i); k < outer(i + 1); ++k)
            if (k < 0 || k >= m.nnz || !entry(i, k)) return false;
    return true;
}

// ---- dense operands ----
int64_t place(const cusparseDnMatDescr& m, int64_t row, int64_t column) {
    return m.order == CUSPARSE_ORDER_ROW ? row * m.ld + column : column * m.ld + row;
}

bool is_reachable(const cusparseDnMatDescr& m) {
    if (m.rows == 0 || m.cols == 0) return true;
    return is_accessible(m.values, static_cast<size_t>(place(m, m.rows - 1, m.cols - 1) + 1) * bytes_of(m.value_type));
}

cusparseDnMatDescr as_matrix(const cusparseDnVecDescr& v) {
    return {v.size, 1, v.size, v.values, v.value_type, CUSPARSE_ORDER_COL};
}

cusparseDnMatDescr transposed(cusparseDnMatDescr m, cusparseOperation_t op) {
    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return m;
    std::swap(m.rows, m.cols);
    m.order = m.order == CUSPARSE_ORDER_ROW ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
    return m;
}

// Row by row, without gaps.
template <class T>
std::vector<T> unpacked(const cusparseDnMatDescr& m) {
    std::vector<T> rows(static_cast<size_t>(m.rows * m.cols));
    for (int64_t i = 0; i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j) rows[i * m.cols + j] = load<T>(m.value_type, m.values, place(m, i, j));
    return rows;
}

// `target`[at] = alpha * sum + beta * `target`[at]; with beta = 0 the old value is not read, and may be NaN.
template <class T>
void combine(cudaDataType type, void* target, int64_t at, T alpha, T sum, T beta) {
    T rest = beta == 0 ? T(0) : beta * load<T>(type, target, at);
    store<T>(type, target, at, alpha * sum + rest);
    size_t bytes = bytes_of(type);
    simt_mark_written(static_cast<char*>(target) + at * static_cast<int64_t>(bytes), bytes, SIMT_LIBRARY);
}

// ---- what the products do alike ----
struct Scalars {
    const void *alpha, *beta;
    cudaDataType type;
};

template <class Work>
cusparseStatus_t with_scalars(cusparseHandle_t handle, Scalars scalars, Work work) {
    size_t bytes = bytes_of(scalars.type);
    if (!scalars.alpha || !scalars.beta) return CUSPARSE_STATUS_INVALID_VALUE;
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE &&
        !(is_accessible(scalars.alpha, bytes) && is_accessible(scalars.beta, bytes)))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    bool done;
    if (scalars.type == CUDA_R_64F)
        done = work(*static_cast<const double*>(scalars.alpha), *static_cast<const double*>(scalars.beta));
    else if (scalars.type == CUDA_R_32F)
        done = work(*static_cast<const float*>(scalars.alpha), *static_cast<const float*>(scalars.beta));
    else return CUSPARSE_STATUS_NOT_SUPPORTED;
    return done ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

// ---- batches ----
void* moved(void* array, size_t element, int64_t elements) {
    return static_cast<char*>(array) + elements * static_cast<int64_t>(element);
}

cusparseSpMatDescr of_batch(cusparseSpMatDescr m, int number) {
    if (m.batches == 1) return m;
    m.outer = moved(m.outer, bytes_of(m.outer_type), number * m.outer_stride);
    m.inner = moved(m.inner, bytes_of(m.inner_type), number * m.entries_stride);
    m.values = moved(m.values, bytes_of(m.value_type), number * m.entries_stride);
    return m;
}

cusparseDnMatDescr of_batch(cusparseDnMatDescr m, int number) {
    if (m.batches > 1) m.values = moved(m.values, bytes_of(m.value_type), number * m.batch_stride);
    return m;
}

// The number of products, or 0 if the operands do not go together. One matrix serves a whole batch.
template <class... Operands>
int batches_of(const Operands&... operands) {
    int most = std::max({operands.batches...});
    return ((operands.batches == 1 || operands.batches == most) && ...) ? most : 0;
}

cusparseStatus_t sparse_times_dense(cusparseHandle_t handle, cusparseOperation_t op_a, const cusparseSpMatDescr& all_a,
                                    const cusparseDnMatDescr& all_b, const cusparseDnMatDescr& all_c, Scalars scalars,
                                    void* buffer) {
    bool flip = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
    int64_t m = flip ? all_a.cols : all_a.rows, k = flip ? all_a.rows : all_a.cols, n = all_c.cols;
    int batches = all_c.batches == batches_of(all_a, all_b, all_c) ? all_c.batches : 0;
    if (all_b.rows != k || all_b.cols != n || all_c.rows != m || batches == 0) return CUSPARSE_STATUS_INVALID_VALUE;
    if (all_a.value_type != all_b.value_type) return CUSPARSE_STATUS_NOT_SUPPORTED;
    double operations = 2.0 * static_cast<double>(all_a.nnz) * static_cast<double>(n) * batches;
    LibraryCall call("cuSPARSE SpMM", handle->stream, operations);
    if (!use_workspace(buffer, all_a)) return CUSPARSE_STATUS_INVALID_VALUE;
    for (int number = 0; number < batches; ++number) {
        const cusparseSpMatDescr a = of_batch(all_a, number);
        const cusparseDnMatDescr b = of_batch(all_b, number), c = of_batch(all_c, number);
        if (!is_reachable(a) || !is_reachable(b) || !is_reachable(c) || simt_sticky_error())
            return CUSPARSE_STATUS_EXECUTION_FAILED;
        cusparseStatus_t status = with_scalars(handle, scalars, [&](auto alpha, auto beta) {
            typedef decltype(alpha) T;
            std::vector<T> rows_of_b = unpacked<T>(b), sums(static_cast<size_t>(m * n));
            bool inside = for_each_entry(a, [&](int64_t row, int64_t column, int64_t entry) {
                T value = load<T>(a.value_type, a.values, entry);
                T* to = &sums[(flip ? column : row) * n];
                const T* from = &rows_of_b[(flip ? row : column) * n];
                for (int64_t j = 0; j < n; ++j) to[j] += value * from[j];
            });
            for (int64_t i = 0; inside && i < m; ++i)
                for (int64_t j = 0; j < n; ++j) combine(c.value_type, c.values, place(c, i, j), alpha, sums[i * n + j], beta);
            return inside;
        });
        if (status) return status;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sampled(cusparseHandle_t handle, const cusparseDnMatDescr& a, const cusparseDnMatDescr& b,
                         const cusparseSpMatDescr& c, Scalars scalars, void* buffer) {
    if (a.cols != b.rows || a.rows != c.rows || b.cols != c.cols) return CUSPARSE_STATUS_INVALID_VALUE;
    if (a.value_type != b.value_type) return CUSPARSE_STATUS_NOT_SUPPORTED;
    LibraryCall call("cuSPARSE SDDMM", handle->stream, 2.0 * static_cast<double>(c.nnz) * static_cast<double>(a.cols));
    if (!use_workspace(buffer, c)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_reachable(a) || !is_reachable(b) || !is_reachable(c) || simt_sticky_error())
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    return with_scalars(handle, scalars, [&](auto alpha, auto beta) {
        typedef decltype(alpha) T;
        int64_t depth = a.cols;
        std::vector<T> rows = unpacked<T>(a), columns = unpacked<T>(transposed(b, CUSPARSE_OPERATION_TRANSPOSE));
        return for_each_entry(c, [&](int64_t row, int64_t column, int64_t entry) {
            T sum = 0;
            for (int64_t i = 0; i < depth; ++i) sum += rows[row * depth + i] * columns[column * depth + i];
            combine(c.value_type, c.values, entry, alpha, sum, beta);
        });
    });
}

cusparseStatus_t workspace_of(cusparseHandle_t handle, const cusparseSpMatDescr* m, size_t* bytes) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!m || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = workspace_bytes(*m);
    return CUSPARSE_STATUS_SUCCESS;
}

// For functions that only look at whether their arguments are there.
template <class... Descriptors>
cusparseStatus_t checked(cusparseHandle_t handle, const Descriptors*... descriptors) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return (... && descriptors) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

}  // namespace

extern "C" {
#define SIMT_SPMV                                                                                    \
    cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, \
        cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t
cusparseStatus_t cusparseSpMV_bufferSize(SIMT_SPMV, size_t* bytes) {
    (void)op, (void)alpha, (void)x, (void)beta, (void)y, (void)type;
    return workspace_of(handle, a, bytes);
}
cusparseStatus_t cusparseSpMV_preprocess(SIMT_SPMV, void*) {
    (void)op, (void)alpha, (void)beta, (void)type;
    return checked(handle, a, x, y);
}
cusparseStatus_t cusparseSpMV(SIMT_SPMV, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, x, y)) return status;
    return sparse_times_dense(handle, op, *a, as_matrix(*x), as_matrix(*y), {alpha, beta, type}, buffer);
}

#define SIMT_SPMM                                                                                                              \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,                            \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType type, \
        cusparseSpMMAlg_t
cusparseStatus_t cusparseSpMM_bufferSize(SIMT_SPMM, size_t* bytes) {
    (void)op_a, (void)op_b, (void)alpha, (void)b, (void)beta, (void)c, (void)type;
    return workspace_of(handle, a, bytes);
}
cusparseStatus_t cusparseSpMM_preprocess(SIMT_SPMM, void*) {
    (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type;
    return checked(handle, a, b, c);
}
cusparseStatus_t cusparseSpMM(SIMT_SPMM, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, b, c)) return status;
    return sparse_times_dense(handle, op_a, *a, transposed(*b, op_b), *c, {alpha, beta, type}, buffer);
}

#define SIMT_SDDMM                                                                                                             \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,                            \
        cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType type, \
        cusparseSDDMMAlg_t
cusparseStatus_t cusparseSDDMM_bufferSize(SIMT_SDDMM, size_t* bytes) {
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)type;
    return workspace_of(handle, c, bytes);
}
cusparseStatus_t cusparseSDDMM_preprocess(SIMT_SDDMM, void*) {
    (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type;
    return checked(handle, a, b, c);
}
cusparseStatus_t cusparseSDDMM(SIMT_SDDMM, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, b, c)) return status;
    return sampled(handle, transposed(*a, op_a), transposed(*b, op_b), *c, {alpha, beta, type}, buffer);
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t,
                                                  cusparseSparseToDenseAlg_t, size_t* bytes) {
    return workspace_of(handle, a, bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, b)) return status;
    if (a->rows != b->rows || a->cols != b->cols || a->value_type != b->value_type) return CUSPARSE_STATUS_INVALID_VALUE;
    LibraryCall call("cuSPARSE SparseToDense", handle->stream, static_cast<double>(a->nnz));
    if (!use_workspace(buffer, *a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_reachable(*a) || !is_reachable(*b) || simt_sticky_error()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t j = 0; j < b->cols; ++j) combine(b->value_type, b->values, place(*b, i, j), 0.0, 0.0, 0.0);
    bool inside = for_each_entry(*a, [&](int64_t row, int64_t column, int64_t entry) {
        store(b->value_type, b->values, place(*b, row, column), load<double>(a->value_type, a->values, entry));
    });
    return inside ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
}
