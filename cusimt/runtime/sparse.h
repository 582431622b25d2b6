// What the parts of cuSPARSE share: handles, descriptors, and elements whose type a program names at run time.
#pragma once
#include "cusparse.h"
#include "library_call.h"

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

size_t bytes_of(cudaDataType type);         // 0: no type of elements here
size_t bytes_of(cusparseIndexType_t type);  // 0: no type of indices here

// Element `i` of an array of `type`, as float or double.
template <class T>
T load(cudaDataType type, const void* values, int64_t i);
template <class T>
void store(cudaDataType type, void* values, int64_t i, T value);

}  // namespace simt
