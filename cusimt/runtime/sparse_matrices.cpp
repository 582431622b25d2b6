// cuSPARSE: functions whose result is a sparse matrix. Sparse times sparse, and CSR to CSC.
#include "sparse_operands.h"

// A product between its computation and its copy: rows with ascending columns. Doubles hold sums of floats, too.
struct cusparseSpGEMMDescr {
    int64_t products = -1;  // multiplications; -1: not estimated
    bool computed = false;
    std::vector<int64_t> offsets, columns;
    std::vector<double> sums;
};

using namespace simt;

namespace {

struct Gemm {
    cusparseHandle_t handle;
    cusparseOperation_t op_a, op_b;
    const cusparseSpMatDescr *a, *b;
    cusparseSpMatDescr* c;
    Scalars scalars;
    cusparseSpGEMMDescr* descriptor;

    cusparseStatus_t refused() const {
        if (cusparseStatus_t status = checked(handle, a, b, c, descriptor)) return status;
        if (a->cols != b->rows || c->rows != a->rows || c->cols != b->cols) return CUSPARSE_STATUS_INVALID_VALUE;
        bool plain = op_a == CUSPARSE_OPERATION_NON_TRANSPOSE && op_b == CUSPARSE_OPERATION_NON_TRANSPOSE;
        for (const cusparseSpMatDescr* each : {a, b, static_cast<const cusparseSpMatDescr*>(c)})
            plain = plain && each->format == CUSPARSE_FORMAT_CSR && each->value_type == scalars.type && each->batches == 1;
        return plain ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    bool operands_are_reachable() const { return is_reachable(*a) && is_reachable(*b) && !simt_library_call_fails(); }
};

template <class T>
int64_t count_products(const Rows<T>& a, const Rows<T>& b) {
    int64_t products = 0;
    for (auto [column, value] : a.entries) products += b.offsets[column + 1] - b.offsets[column];
    return products;
}

// Each sum runs in the order of A's columns. A sum of zero is an entry, too.
template <class T>
void multiply(const Rows<T>& a, const Rows<T>& b, int64_t width, cusparseSpGEMMDescr& product) {
    std::vector<T> sums(static_cast<size_t>(width));
    std::vector<char> is_there(static_cast<size_t>(width));
    product.offsets.assign(1, 0), product.columns.clear(), product.sums.clear();
    for (size_t row = 0; row + 1 < a.offsets.size(); ++row) {
        size_t first = product.columns.size();
        for (int64_t i = a.offsets[row]; i < a.offsets[row + 1]; ++i) {
            auto [middle, left] = a.entries[i];
            for (int64_t j = b.offsets[middle]; j < b.offsets[middle + 1]; ++j) {
                auto [column, right] = b.entries[j];
                if (!is_there[column]) product.columns.push_back(column), is_there[column] = 1, sums[column] = 0;
                sums[column] += left * right;
            }
        }
        std::sort(product.columns.begin() + static_cast<ptrdiff_t>(first), product.columns.end());
        for (size_t k = first; k < product.columns.size(); ++k) {
            product.sums.push_back(static_cast<double>(sums[product.columns[k]]));
            is_there[product.columns[k]] = 0;
        }
        product.offsets.push_back(static_cast<int64_t>(product.columns.size()));
    }
}

// Calls work(rows of A, rows of B), of float or double.
template <class Work>
cusparseStatus_t with_rows(const Gemm& gemm, Work work) {
    return with_scalars(gemm.handle, gemm.scalars, [&](auto alpha, auto) {
        Rows<decltype(alpha)> a, b;
        if (!gather(*gemm.a, false, a) || !gather(*gemm.b, false, b)) return false;
        work(a, b);
        return true;
    });
}

cusparseStatus_t estimate(const Gemm& gemm, size_t* bytes, void* buffer) {
    if (cusparseStatus_t status = gemm.refused()) return status;
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!buffer) return workspace_of("cusparseSpGEMM_workEstimation", gemm.handle, gemm.a, bytes);
    LibraryCall call("cuSPARSE SpGEMM estimation", gemm.handle->stream, static_cast<double>(gemm.a->nnz));
    if (!use_workspace(buffer, *gemm.a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!gemm.operands_are_reachable()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    return with_rows(gemm, [&](auto& a, auto& b) { gemm.descriptor->products = count_products(a, b); });
}

cusparseStatus_t compute(const Gemm& gemm, size_t* bytes, void* buffer) {
    if (cusparseStatus_t status = gemm.refused()) return status;
    cusparseSpGEMMDescr& product = *gemm.descriptor;
    if (!bytes || product.products < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    size_t needed = 256 + static_cast<size_t>(product.products) * (sizeof(int64_t) + bytes_of(gemm.scalars.type));
    if (!buffer) {
        *bytes = needed;
        return CUSPARSE_STATUS_SUCCESS;
    }
    if (*bytes < needed) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    LibraryCall call("cuSPARSE SpGEMM", gemm.handle->stream, 2.0 * static_cast<double>(product.products));
    if (!is_accessible(buffer, needed)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!gemm.operands_are_reachable()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    memset(buffer, 0, needed);
    mark_written(buffer, needed, 0);
    cusparseStatus_t status = with_rows(gemm, [&](auto& a, auto& b) { multiply(a, b, gemm.b->cols, product); });
    if (status) return status;
    product.computed = true;
    gemm.c->nnz = static_cast<int64_t>(product.columns.size());
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t copy(const Gemm& gemm) {
    if (cusparseStatus_t status = gemm.refused()) return status;
    const cusparseSpGEMMDescr& product = *gemm.descriptor;
    const cusparseSpMatDescr& c = *gemm.c;
    auto entries = static_cast<int64_t>(product.columns.size());
    if (!product.computed || c.nnz != entries) return CUSPARSE_STATUS_INVALID_VALUE;
    LibraryCall call("cuSPARSE SpGEMM copy", gemm.handle->stream, static_cast<double>(entries));
    if (!is_reachable(c) || simt_library_call_fails()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    store_indices(c.outer_type, c.outer, product.offsets, c.base);
    store_indices(c.inner_type, c.inner, product.columns, c.base);
    return with_scalars(gemm.handle, gemm.scalars, [&](auto alpha, auto beta) {
        typedef decltype(alpha) T;
        for (int64_t k = 0; k < entries; ++k) combine(c.value_type, c.values, k, alpha, static_cast<T>(product.sums[k]), beta);
        return true;
    });
}

cusparseStatus_t csr_to_csc(cusparseHandle_t handle, cusparseSpMatDescr from, cusparseSpMatDescr to, cusparseAction_t action,
                            void* buffer) {
    if (from.rows < 0 || from.cols < 0 || from.nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!bytes_of(from.value_type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    LibraryCall call("cuSPARSE Csr2cscEx2", handle->stream, static_cast<double>(from.nnz));
    if (!use_workspace(buffer, from)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (action == CUSPARSE_ACTION_SYMBOLIC)  // no values are looked at, whatever is in their place
        from.values = to.values = from.inner, from.value_type = to.value_type = CUDA_R_32F;
    if (!is_reachable(from) || !is_reachable(to) || simt_library_call_fails()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    Rows<double> columns;
    if (!gather(from, true, columns)) return CUSPARSE_STATUS_EXECUTION_FAILED;
    store_indices(to.outer_type, to.outer, columns.offsets, to.base);
    auto entries = static_cast<int64_t>(columns.entries.size());  // the offsets may name fewer than `nnz`
    for (int64_t k = 0; k < entries; ++k) {
        auto [row, value] = columns.entries[k];
        store_index(to.inner_type, to.inner, static_cast<size_t>(k), row + to.base);
        if (action == CUSPARSE_ACTION_NUMERIC) store(to.value_type, to.values, k, value);
    }
    mark_written(to.inner, bytes_of(to.inner_type), 0, entries);
    if (action == CUSPARSE_ACTION_NUMERIC) mark_written(to.values, bytes_of(to.value_type), 0, entries);
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descriptor) {
    return create(descriptor, true, cusparseSpGEMMDescr());
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descriptor) { return destroy(descriptor); }
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descriptor, int64_t* products) {
    if (!descriptor || !products || descriptor->products < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    *products = descriptor->products;
    return CUSPARSE_STATUS_SUCCESS;
}
#define SIMT_GEMM                                                                                                              \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,                            \
        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType type, \
        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor
cusparseStatus_t cusparseSpGEMM_workEstimation(SIMT_GEMM, size_t* bytes, void* buffer) {
    return estimate({handle, op_a, op_b, a, b, c, {alpha, beta, type}, descriptor}, bytes, buffer);
}
cusparseStatus_t cusparseSpGEMM_compute(SIMT_GEMM, size_t* bytes, void* buffer) {
    return compute({handle, op_a, op_b, a, b, c, {alpha, beta, type}, descriptor}, bytes, buffer);
}
cusparseStatus_t cusparseSpGEMM_copy(SIMT_GEMM) { return copy({handle, op_a, op_b, a, b, c, {alpha, beta, type}, descriptor}); }

#define SIMT_CSR2CSC                                                                                                          \
    cusparseHandle_t handle, int rows, int cols, int nnz, const void *csr_values, const int *row_offsets, const int *columns, \
        void *csc_values, int *column_offsets, int *rows_of, cudaDataType type, cusparseAction_t action,                      \
        cusparseIndexBase_t base, cusparseCsr2CscAlg_t
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(SIMT_CSR2CSC, size_t* bytes) {
    (void)csc_values, (void)column_offsets, (void)rows_of, (void)action;
    cusparseSpMatDescr from = compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, row_offsets, columns, csr_values, type, base);
    return workspace_of(__func__, handle, &from, bytes);
}
cusparseStatus_t cusparseCsr2cscEx2(SIMT_CSR2CSC, void* buffer) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return csr_to_csc(handle, compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, row_offsets, columns, csr_values, type, base),
                      compressed(CUSPARSE_FORMAT_CSC, rows, cols, nnz, column_offsets, rows_of, csc_values, type, base), action,
                      buffer);
}
}
