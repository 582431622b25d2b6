// cuSPARSE: sparse times dense, dense times dense at the places of a sparse matrix, sparse to dense.
//
// A result depends on nothing but its arguments: sums run in the order of the entries, in the type to compute in.
#include <algorithm>
#include <string>
#include <vector>

#include "library_refusals.h"
#include "sparse_operands.h"

using namespace simt;

namespace {

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

std::string shape(int64_t rows, int64_t cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

cusparseStatus_t sparse_times_dense(cusparseHandle_t handle, cusparseOperation_t op_a, const cusparseSpMatDescr& all_a,
                                    const cusparseDnMatDescr& all_b, const cusparseDnMatDescr& all_c, Scalars scalars,
                                    void* buffer) {
    bool flip = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
    int64_t m = flip ? all_a.cols : all_a.rows, k = flip ? all_a.rows : all_a.cols, n = all_c.cols;
    int batches = all_c.batches == batches_of(all_a, all_b, all_c) ? all_c.batches : 0;
    if (all_b.rows != k || all_b.cols != n || all_c.rows != m) {
        return refuse(CUSPARSE_STATUS_INVALID_VALUE, "op(A) is " + shape(m, k) + ", B is " + shape(all_b.rows, all_b.cols) +
                                                         " and C is " + shape(all_c.rows, n));
    }
    if (batches == 0) {
        return refuse(CUSPARSE_STATUS_INVALID_VALUE, "the batch of A has " + std::to_string(all_a.batches) +
                                                         " matrices, that of B " + std::to_string(all_b.batches) +
                                                         " and that of C " + std::to_string(all_c.batches));
    }
    explain_refusal("");
    if (all_a.value_type != all_b.value_type) return CUSPARSE_STATUS_NOT_SUPPORTED;
    double operations = 2.0 * static_cast<double>(all_a.nnz) * static_cast<double>(n) * batches;
    LibraryCall call("cuSPARSE SpMM", handle->stream, operations);
    if (!use_workspace(buffer, all_a)) {
        return refuse(CUSPARSE_STATUS_INVALID_VALUE,
                      "the workspace has to be " + std::to_string(workspace_bytes(all_a)) + " bytes of device memory");
    }
    for (int number = 0; number < batches; ++number) {
        const cusparseSpMatDescr a = of_batch(all_a, number);
        const cusparseDnMatDescr b = of_batch(all_b, number), c = of_batch(all_c, number);
        if (!is_reachable(a) || !is_reachable(b) || !is_reachable(c) || simt_library_call_fails())
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
    if (!is_reachable(a) || !is_reachable(b) || !is_reachable(c) || simt_library_call_fails())
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

}  // namespace

extern "C" {
#define SIMT_SPMV                                                                                    \
    cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, \
        cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t
cusparseStatus_t cusparseSpMV_bufferSize(SIMT_SPMV, size_t* bytes) {
    (void)op, (void)alpha, (void)x, (void)beta, (void)y, (void)type;
    return workspace_of(__func__, handle, a, bytes);
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
    return workspace_of(__func__, handle, a, bytes);
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
    return workspace_of(__func__, handle, c, bytes);
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
    return workspace_of(__func__, handle, a, bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, b)) return status;
    if (a->rows != b->rows || a->cols != b->cols || a->value_type != b->value_type) return CUSPARSE_STATUS_INVALID_VALUE;
    LibraryCall call("cuSPARSE SparseToDense", handle->stream, static_cast<double>(a->nnz));
    if (!use_workspace(buffer, *a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_reachable(*a) || !is_reachable(*b) || simt_library_call_fails()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t j = 0; j < b->cols; ++j) combine(b->value_type, b->values, place(*b, i, j), 0.0, 0.0, 0.0);
    bool inside = for_each_entry(*a, [&](int64_t row, int64_t column, int64_t entry) {
        store(b->value_type, b->values, place(*b, row, column), load<double>(a->value_type, a->values, entry));
    });
    return inside ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
}
