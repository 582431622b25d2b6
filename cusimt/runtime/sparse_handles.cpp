// cuSPARSE: handles, statuses, and descriptors of sparse and dense operands.
#include <cstdio>

#include "library_refusals.h"
#include "sparse.h"

using namespace simt;

namespace {

template <class Owner, class T>
cusparseStatus_t get(const Owner* owner, T Owner::* member, T* value) {
    if (!owner) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!value) return CUSPARSE_STATUS_INVALID_VALUE;
    *value = owner->*member;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Owner, class T>
cusparseStatus_t set(Owner* owner, T Owner::* member, T value) {
    if (!owner) return CUSPARSE_STATUS_NOT_INITIALIZED;
    owner->*member = value;
    return CUSPARSE_STATUS_SUCCESS;
}

// The library takes no more entries than the matrix has elements, also where entries repeat, and prints why.
bool is_valid(const cusparseSpMatDescr& m, const char* call) {
    if (m.rows < 0 || m.cols < 0 || m.nnz < 0) return false;
    if (m.nnz > 0 && (m.cols == 0 || (m.nnz - 1) / m.cols >= m.rows)) {
        fprintf(stderr, " ** On entry to %s(): dimension mismatch, nnz (%lld) > matrix size (%lld)\n", call,
                static_cast<long long>(m.nnz), static_cast<long long>(m.rows * m.cols));
        return false;
    }
    return bytes_of(m.outer_type) && bytes_of(m.inner_type) && bytes_of(m.value_type);
}

bool is_valid(const cusparseDnMatDescr& m) {
    int64_t inner = m.order == CUSPARSE_ORDER_ROW ? m.cols : m.rows;
    bool order = m.order == CUSPARSE_ORDER_ROW || m.order == CUSPARSE_ORDER_COL;
    return order && m.rows >= 0 && m.cols >= 0 && m.ld >= inner && bytes_of(m.value_type);
}

// A batch has one array for all its matrices, by a stride of 0, or arrays that do not overlap.
bool follow_one_another(int64_t stride, int64_t length, const char* what) {
    if (stride == 0 || stride >= length) return true;
    explain_refusal("the stride of the batch is " + std::to_string(stride) + ", and has to be 0 or at least " + what + ", " +
                    std::to_string(length));
    return false;
}

// What the functions that set a batch return, of this name, when their arguments are right. One that is refused has set it, too.
cusparseStatus_t status_of_batch(const char* name) {
    return LibrarySetup(name).is_refused() ? CUSPARSE_STATUS_INSUFFICIENT_RESOURCES : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t set_batches(const char* name, cusparseSpMatDescr& m, int batches, int64_t outer_stride,
                             int64_t entries_stride) {
    if (batches < 1 || !follow_one_another(entries_stride, m.nnz, "the number of entries"))
        return CUSPARSE_STATUS_INVALID_VALUE;
    m.batches = batches, m.outer_stride = outer_stride, m.entries_stride = entries_stride;
    return status_of_batch(name);
}

void* writable(const void* pointer) { return const_cast<void*>(pointer); }

}  // namespace

extern "C" {
cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
    log_api_call({.call = "cusparseCreate", .kind = "handle"});
    return create(handle, true, cusparseContext());
}
void* simt_sparse_handle(void) { return new (std::nothrow) cusparseContext; }
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return handle ? destroy(handle) : CUSPARSE_STATUS_NOT_INITIALIZED; }
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!version) return CUSPARSE_STATUS_INVALID_VALUE;
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    return set(handle, &cusparseContext::stream, stream);
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
    return get(handle, &cusparseContext::stream, stream);
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    return set(handle, &cusparseContext::pointer_mode, mode);
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    return get(handle, &cusparseContext::pointer_mode, mode);
}

#define SIMT_STATUSES(CASE)                                      \
    CASE(SUCCESS, "success")                                     \
    CASE(NOT_INITIALIZED, "initialization error")                \
    CASE(ALLOC_FAILED, "allocation failed")                      \
    CASE(INVALID_VALUE, "invalid value")                         \
    CASE(ARCH_MISMATCH, "architecture mismatch")                 \
    CASE(MAPPING_ERROR, "texture mapping error")                 \
    CASE(EXECUTION_FAILED, "kernel launch failure")              \
    CASE(INTERNAL_ERROR, "internal error")                       \
    CASE(MATRIX_TYPE_NOT_SUPPORTED, "matrix type not supported") \
    CASE(ZERO_PIVOT, "zero pivot")                               \
    CASE(NOT_SUPPORTED, "operation not supported")               \
    CASE(INSUFFICIENT_RESOURCES, "insufficient resources")
const char* cusparseGetErrorName(cusparseStatus_t status) {
    switch (status) {
#define SIMT_CASE(NAME, TEXT) \
    case CUSPARSE_STATUS_##NAME: return "CUSPARSE_STATUS_" #NAME;
        SIMT_STATUSES(SIMT_CASE)
#undef SIMT_CASE
    }
    return "unrecognized error code";
}
const char* cusparseGetErrorString(cusparseStatus_t status) {
    if (status == CUSPARSE_STATUS_SUCCESS) return "success";
    switch (status) {
#define SIMT_CASE(NAME, TEXT) \
    case CUSPARSE_STATUS_##NAME: return with_refusal(TEXT);
        SIMT_STATUSES(SIMT_CASE)
#undef SIMT_CASE
    }
    return "unrecognized error code";
}

#define SIMT_CREATE(CONST_NAME, DESCRIPTOR, VOID)                                                                              \
    cusparseStatus_t cusparseCreate##CONST_NAME##Csr(DESCRIPTOR* matrix, int64_t rows, int64_t cols, int64_t nnz,              \
                                                     VOID offsets, VOID columns, VOID values, cusparseIndexType_t outer,       \
                                                     cusparseIndexType_t inner, cusparseIndexBase_t base, cudaDataType type) { \
        cusparseSpMatDescr made{CUSPARSE_FORMAT_CSR,                                                                           \
                                rows,                                                                                          \
                                cols,                                                                                          \
                                nnz,                                                                                           \
                                writable(offsets),                                                                             \
                                writable(columns),                                                                             \
                                writable(values),                                                                              \
                                outer,                                                                                         \
                                inner,                                                                                         \
                                base,                                                                                          \
                                type};                                                                                         \
        return create(matrix, is_valid(made, "cusparseCreate" #CONST_NAME "Csr"), made);                                       \
    }                                                                                                                          \
    cusparseStatus_t cusparseCreate##CONST_NAME##Csc(DESCRIPTOR* matrix, int64_t rows, int64_t cols, int64_t nnz,              \
                                                     VOID offsets, VOID rows_of, VOID values, cusparseIndexType_t outer,       \
                                                     cusparseIndexType_t inner, cusparseIndexBase_t base, cudaDataType type) { \
        cusparseSpMatDescr made{CUSPARSE_FORMAT_CSC,                                                                           \
                                rows,                                                                                          \
                                cols,                                                                                          \
                                nnz,                                                                                           \
                                writable(offsets),                                                                             \
                                writable(rows_of),                                                                             \
                                writable(values),                                                                              \
                                outer,                                                                                         \
                                inner,                                                                                         \
                                base,                                                                                          \
                                type};                                                                                         \
        return create(matrix, is_valid(made, "cusparseCreate" #CONST_NAME "Csc"), made);                                       \
    }                                                                                                                          \
    cusparseStatus_t cusparseCreate##CONST_NAME##Coo(DESCRIPTOR* matrix, int64_t rows, int64_t cols, int64_t nnz,              \
                                                     VOID rows_of, VOID columns, VOID values, cusparseIndexType_t index,       \
                                                     cusparseIndexBase_t base, cudaDataType type) {                            \
        cusparseSpMatDescr made{CUSPARSE_FORMAT_COO,                                                                           \
                                rows,                                                                                          \
                                cols,                                                                                          \
                                nnz,                                                                                           \
                                writable(rows_of),                                                                             \
                                writable(columns),                                                                             \
                                writable(values),                                                                              \
                                index,                                                                                         \
                                index,                                                                                         \
                                base,                                                                                          \
                                type};                                                                                         \
        return create(matrix, is_valid(made, "cusparseCreate" #CONST_NAME "Coo"), made);                                       \
    }
SIMT_CREATE(, cusparseSpMatDescr_t, void*)
SIMT_CREATE(Const, cusparseConstSpMatDescr_t, const void*)
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return destroy(matrix); }

cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t m, int64_t* rows, int64_t* cols, int64_t* nnz, void** offsets,
                                void** columns, void** values, cusparseIndexType_t* outer, cusparseIndexType_t* inner,
                                cusparseIndexBase_t* base, cudaDataType* type) {
    if (!m || m->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = m->rows, *cols = m->cols, *nnz = m->nnz, *offsets = m->outer, *columns = m->inner, *values = m->values;
    *outer = m->outer_type, *inner = m->inner_type, *base = m->base, *type = m->value_type;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void* offsets, void* columns, void* values) {
    if (!m || m->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_INVALID_VALUE;
    m->outer = offsets, m->inner = columns, m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int batches, int64_t offsets_stride,
                                            int64_t entries_stride) {
    explain_refusal("");
    if (!m || m->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!follow_one_another(offsets_stride, m->rows + 1, "the length of the offsets")) return CUSPARSE_STATUS_INVALID_VALUE;
    return set_batches(__func__, *m, batches, offsets_stride, entries_stride);
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int batches, int64_t stride) {
    explain_refusal("");
    if (!m || m->format != CUSPARSE_FORMAT_COO) return CUSPARSE_STATUS_INVALID_VALUE;
    return set_batches(__func__, *m, batches, stride, stride);
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int* batches) {
    return get(m, &cusparseSpMatDescr::batches, batches);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* cols, int64_t* nnz) {
    if (!m || !rows || !cols || !nnz) return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = m->rows, *cols = m->cols, *nnz = m->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t* format) {
    return get(m, &cusparseSpMatDescr::format, format);
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t* base) {
    return get(m, &cusparseSpMatDescr::base, base);
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
    if (!m || !data || bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
    int value = *static_cast<const int*>(data);
    if (value != 0 && value != 1) return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) m->fill = static_cast<cusparseFillMode_t>(value);
    else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE) m->diagonal = static_cast<cusparseDiagType_t>(value);
    else return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
    if (!m || !data || bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute != CUSPARSE_SPMAT_FILL_MODE && attribute != CUSPARSE_SPMAT_DIAG_TYPE) return CUSPARSE_STATUS_INVALID_VALUE;
    *static_cast<int*>(data) = attribute == CUSPARSE_SPMAT_FILL_MODE ? int(m->fill) : int(m->diagonal);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t m, void** values) {
    return get(m, &cusparseSpMatDescr::values, values);
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void* values) {
    return set(m, &cusparseSpMatDescr::values, values);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t ld, void* values,
                                     cudaDataType type, cusparseOrder_t order) {
    cusparseDnMatDescr made{rows, cols, ld, values, type, order};
    return create(matrix, is_valid(made), made);
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t ld,
                                          const void* values, cudaDataType type, cusparseOrder_t order) {
    cusparseDnMatDescr made{rows, cols, ld, writable(values), type, order};
    return create(matrix, is_valid(made), made);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t* rows, int64_t* cols, int64_t* ld, void** values,
                                  cudaDataType* type, cusparseOrder_t* order) {
    if (!m) return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = m->rows, *cols = m->cols, *ld = m->ld, *values = m->values, *type = m->value_type, *order = m->order;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int batches, int64_t stride) {
    explain_refusal("");
    if (!m || batches < 1) return CUSPARSE_STATUS_INVALID_VALUE;
    const bool by_rows = m->order == CUSPARSE_ORDER_ROW;
    // Of a single matrix, no stride is looked at: measured with cuSPARSE on an H200.
    if (batches > 1 && !follow_one_another(stride, m->ld * (by_rows ? m->rows : m->cols), by_rows ? "ld * rows" : "ld * cols"))
        return CUSPARSE_STATUS_INVALID_VALUE;
    m->batches = batches, m->batch_stride = stride;
    return status_of_batch(__func__);
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int* batches, int64_t* stride) {
    if (!m || !batches || !stride) return CUSPARSE_STATUS_INVALID_VALUE;
    *batches = m->batches, *stride = m->batch_stride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t m, void** values) {
    return get(m, &cusparseDnMatDescr::values, values);
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t m, void* values) {
    return set(m, &cusparseDnMatDescr::values, values);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values, cudaDataType type) {
    return create(vector, size >= 0 && bytes_of(type), cusparseDnVecDescr{size, values, type});
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* vector, int64_t size, const void* values,
                                          cudaDataType type) {
    return create(vector, size >= 0 && bytes_of(type), cusparseDnVecDescr{size, writable(values), type});
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t* size, void** values, cudaDataType* type) {
    if (!v) return CUSPARSE_STATUS_INVALID_VALUE;
    *size = v->size, *values = v->values, *type = v->value_type;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t v, void** values) {
    return get(v, &cusparseDnVecDescr::values, values);
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void* values) {
    return set(v, &cusparseDnVecDescr::values, values);
}
}
