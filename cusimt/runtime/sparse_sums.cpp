// cuSPARSE: sums of sparse matrices, of the older interface (csrgeam2), and its descriptors.
#include "sparse_operands.h"

struct cusparseMatDescr {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

using namespace simt;

namespace {

// One operand as a call names it.
struct Named {
    const cusparseMatDescr* of;
    int nnz;
    const void* values;
    const int *offsets, *columns;

    cusparseSpMatDescr matrix(int rows, int cols, cudaDataType type) const {
        return compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, columns, values, type, of->base);
    }
};

cusparseStatus_t refused(cusparseHandle_t handle, int rows, int cols, const Named& a, const Named& b,
                         const cusparseMatDescr* c) {
    if (cusparseStatus_t status = checked(handle, a.of, b.of, c)) return status;
    if (rows < 0 || cols < 0 || a.nnz < 0 || b.nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    for (const cusparseMatDescr* each : {a.of, b.of, c})
        if (each->type != CUSPARSE_MATRIX_TYPE_GENERAL) return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

// Calls visit(row, column, a, b) at each place where one of the matrices has an entry, in the order of rows and columns.
template <class T, class Visit>
void for_each_sum(const Rows<T>& a, const Rows<T>& b, Visit visit) {
    for (size_t row = 0; row + 1 < a.offsets.size(); ++row) {
        int64_t i = a.offsets[row], j = b.offsets[row];
        while (i < a.offsets[row + 1] || j < b.offsets[row + 1]) {
            int64_t left = i < a.offsets[row + 1] ? a.entries[i].column : INT64_MAX;
            int64_t right = j < b.offsets[row + 1] ? b.entries[j].column : INT64_MAX;
            T from_a = left <= right ? a.entries[i++].value : T(0), from_b = right <= left ? b.entries[j++].value : T(0);
            visit(row, std::min(left, right), from_a, from_b);
        }
    }
}

template <class T>
cusparseStatus_t gather_both(const cusparseSpMatDescr& a, const cusparseSpMatDescr& b, void* buffer, Rows<T>& rows_a,
                             Rows<T>& rows_b) {
    if (!use_workspace(buffer, a)) return CUSPARSE_STATUS_INVALID_VALUE;
    bool found = is_reachable(a) && is_reachable(b) && !simt_library_call_fails() && gather(a, false, rows_a) &&
                 gather(b, false, rows_b);
    return found ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

cusparseStatus_t count(cusparseHandle_t handle, int rows, int cols, Named a, Named b, const cusparseMatDescr* of_c,
                       int* offsets_c, int* total, void* buffer) {
    if (cusparseStatus_t status = refused(handle, rows, cols, a, b, of_c)) return status;
    if (!total) return CUSPARSE_STATUS_INVALID_VALUE;
    LibraryCall call("cuSPARSE csrgeam2Nnz", handle->stream, static_cast<double>(a.nnz) + b.nnz);
    a.values = a.columns, b.values = b.columns;  // which are looked at as floats, and count for nothing
    Rows<float> rows_a, rows_b;
    cusparseStatus_t status =
        gather_both(a.matrix(rows, cols, CUDA_R_32F), b.matrix(rows, cols, CUDA_R_32F), buffer, rows_a, rows_b);
    if (status) return status;
    bool on_device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
    auto size = static_cast<size_t>(rows) + 1;
    if (!is_accessible(offsets_c, size * sizeof(int)) || (on_device && !is_accessible(total, sizeof(int))))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    std::vector<int64_t> offsets(size);
    for_each_sum(rows_a, rows_b, [&](size_t row, int64_t, float, float) { ++offsets[row + 1]; });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    store_indices(CUSPARSE_INDEX_32I, offsets_c, offsets, of_c->base);
    *total = static_cast<int>(offsets.back());
    if (on_device) mark_written(total, sizeof(int), 0);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sum(cusparseHandle_t handle, int rows, int cols, Scalars scalars, const Named& a, const Named& b,
                     const cusparseMatDescr* of_c, void* values, const int* offsets, int* columns, void* buffer) {
    if (cusparseStatus_t status = refused(handle, rows, cols, a, b, of_c)) return status;
    LibraryCall call("cuSPARSE csrgeam2", handle->stream, static_cast<double>(a.nnz) + b.nnz);
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    cusparseStatus_t scalar = with_scalars(handle, scalars, [&](auto alpha, auto beta) {
        typedef decltype(alpha) T;
        Rows<T> rows_a, rows_b;
        status = gather_both(a.matrix(rows, cols, scalars.type), b.matrix(rows, cols, scalars.type), buffer, rows_a, rows_b);
        if (status || !is_accessible(offsets, (static_cast<size_t>(rows) + 1) * sizeof(int))) return false;
        std::vector<int64_t> places;
        std::vector<T> sums;
        for_each_sum(rows_a, rows_b, [&](size_t, int64_t column, T left, T right) {
            places.push_back(column);
            sums.push_back(alpha * left + beta * right);
        });
        // C's offsets say how many entries its arrays hold.
        if (offsets[rows] - of_c->base != static_cast<int64_t>(sums.size())) return false;
        size_t entries = sums.size();
        if (!is_accessible(values, entries * sizeof(T)) || !is_accessible(columns, entries * sizeof(int))) return false;
        store_indices(CUSPARSE_INDEX_32I, columns, places, of_c->base);
        std::copy(sums.begin(), sums.end(), static_cast<T*>(values));
        mark_written(values, sizeof(T), 0, static_cast<int64_t>(entries));
        return true;
    });
    return status ? status : scalar;
}

}  // namespace

extern "C" {
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) { return create(descriptor, true, cusparseMatDescr()); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) { return destroy(descriptor); }
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descriptor, cusparseMatrixType_t type) {
    if (!descriptor || type < CUSPARSE_MATRIX_TYPE_GENERAL || type > CUSPARSE_MATRIX_TYPE_TRIANGULAR)
        return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->type = type;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descriptor) { return descriptor->type; }
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descriptor, cusparseIndexBase_t base) {
    if (!descriptor || (base != CUSPARSE_INDEX_BASE_ZERO && base != CUSPARSE_INDEX_BASE_ONE))
        return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->base = base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descriptor) { return descriptor->base; }

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int rows, int cols, const cusparseMatDescr_t of_a, int nnz_a,
                                      const int* offsets_a, const int* columns_a, const cusparseMatDescr_t of_b, int nnz_b,
                                      const int* offsets_b, const int* columns_b, const cusparseMatDescr_t of_c, int* offsets_c,
                                      int* total, void* buffer) {
    return count(handle, rows, cols, {of_a, nnz_a, nullptr, offsets_a, columns_a}, {of_b, nnz_b, nullptr, offsets_b, columns_b},
                 of_c, offsets_c, total, buffer);
}
#define SIMT_GEAM(LETTER, T, TYPE)                                                                                         \
    cusparseStatus_t cusparse##LETTER##csrgeam2_bufferSizeExt(                                                             \
        cusparseHandle_t handle, int rows, int cols, const T*, const cusparseMatDescr_t of_a, int nnz_a, const T* a,       \
        const int* offsets_a, const int* columns_a, const T*, const cusparseMatDescr_t of_b, int, const T*, const int*,    \
        const int*, const cusparseMatDescr_t of_c, const T*, const int*, const int*, size_t* bytes) {                      \
        if (cusparseStatus_t status = checked(handle, of_a, of_b, of_c)) return status;                                    \
        cusparseSpMatDescr first = Named{of_a, nnz_a, a, offsets_a, columns_a}.matrix(rows, cols, TYPE);                   \
        return workspace_of(__func__, handle, &first, bytes);                                                              \
    }                                                                                                                      \
    cusparseStatus_t cusparse##LETTER##csrgeam2(                                                                           \
        cusparseHandle_t handle, int rows, int cols, const T* alpha, const cusparseMatDescr_t of_a, int nnz_a, const T* a, \
        const int* offsets_a, const int* columns_a, const T* beta, const cusparseMatDescr_t of_b, int nnz_b, const T* b,   \
        const int* offsets_b, const int* columns_b, const cusparseMatDescr_t of_c, T* c, int* offsets_c, int* columns_c,   \
        void* buffer) {                                                                                                    \
        return sum(handle, rows, cols, {alpha, beta, TYPE}, {of_a, nnz_a, a, offsets_a, columns_a},                        \
                   {of_b, nnz_b, b, offsets_b, columns_b}, of_c, c, offsets_c, columns_c, buffer);                         \
    }
SIMT_GEAM(S, float, CUDA_R_32F)
SIMT_GEAM(D, double, CUDA_R_64F)
}
