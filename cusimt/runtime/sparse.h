// What the parts of cuSPARSE share: handles and descriptors.
#pragma once
#include <new>

#include "cusparse.h"
#include "library_call.h"
#include "typed_elements.h"

struct cusparseContext {
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

// CSR: `outer` are the offsets of rows, `inner` the columns; CSC: offsets of columns, and rows; COO: rows, and columns.
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols, nnz;
    void *outer, *inner, *values;
    cusparseIndexType_t outer_type, inner_type;
    cusparseIndexBase_t base;
    cudaDataType value_type;
    int batches = 1;
    int64_t outer_stride = 0, entries_stride = 0;  // of COO, both are that of the entries
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};

struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    void* values;
    cudaDataType value_type;
    cusparseOrder_t order;
    int batches = 1;
    int64_t batch_stride = 0;
};

struct cusparseDnVecDescr {
    int64_t size;
    void* values;
    cudaDataType value_type;
};

namespace simt {

inline size_t bytes_of(cusparseIndexType_t type) {  // 0: no type of indices here
    return type == CUSPARSE_INDEX_32I ? 4 : type == CUSPARSE_INDEX_64I ? 8 : 0;
}

// ---- descriptors ----
template <class Descriptor, class Value>
cusparseStatus_t create(Descriptor** descriptor, bool valid, const Value& value) {
    if (!descriptor || !valid) return CUSPARSE_STATUS_INVALID_VALUE;
    *descriptor = new (std::nothrow) Value(value);
    return *descriptor ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

template <class Descriptor>
cusparseStatus_t destroy(const Descriptor* descriptor) {
    if (!descriptor) return CUSPARSE_STATUS_INVALID_VALUE;
    delete descriptor;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace simt
