// What the functions of cuSPARSE do alike: workspaces, entries of sparse matrices, elements of dense ones, scalars.
#pragma once
#include <string.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "sparse.h"

namespace simt {

// The workspace must exist; its size has no meaning here, and cuSPARSE documents none.
inline size_t workspace_bytes(const cusparseSpMatDescr& m) { return 256 + static_cast<size_t>(m.rows) * 4; }

inline bool use_workspace(void* buffer, const cusparseSpMatDescr& m) {
    if (!is_accessible(buffer, workspace_bytes(m))) return false;
    memset(buffer, 0, workspace_bytes(m));
    simt_mark_written(buffer, workspace_bytes(m), SIMT_LIBRARY);
    return true;
}

inline int64_t index_at(cusparseIndexType_t type, const void* indices, int64_t i) {
    return type == CUSPARSE_INDEX_64I ? static_cast<const int64_t*>(indices)[i] : static_cast<const int32_t*>(indices)[i];
}

// ---- sparse operands ----
// Of a matrix given by its arrays: with indices of 32 bits.
inline cusparseSpMatDescr compressed(cusparseFormat_t format, int rows, int cols, int nnz, const int* outer, const int* inner,
                                     const void* values, cudaDataType type, cusparseIndexBase_t base) {
    auto writable = [](const void* pointer) { return const_cast<void*>(pointer); };
    return {format, rows, cols, nnz, writable(outer), writable(inner), writable(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
            base,   type};
}

inline bool is_reachable(const cusparseSpMatDescr& m) {
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

// The entries of a matrix, row by row, in each row in the order of its columns, or as they stood where these repeat.
template <class T>
struct Rows {
    struct Entry {
        int64_t column;
        T value;
    };
    std::vector<int64_t> offsets;
    std::vector<Entry> entries;
};

// Of `m`, or of its transpose. False as in for_each_entry.
template <class T>
bool gather(const cusparseSpMatDescr& m, bool flip, Rows<T>& rows) {
    struct Cell {
        int64_t row, column;
        T value;
    };
    std::vector<Cell> cells;
    cells.reserve(static_cast<size_t>(m.nnz));
    bool inside = for_each_entry(m, [&](int64_t row, int64_t column, int64_t k) {
        cells.push_back({flip ? column : row, flip ? row : column, load<T>(m.value_type, m.values, k)});
    });
    if (!inside) return false;
    std::stable_sort(cells.begin(), cells.end(),
                     [](const Cell& a, const Cell& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
    rows.offsets.assign(static_cast<size_t>(flip ? m.cols : m.rows) + 1, 0);
    rows.entries.clear();
    for (const Cell& each : cells) {
        ++rows.offsets[each.row + 1];
        rows.entries.push_back({each.column, each.value});
    }
    std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
    return true;
}

// ---- dense operands ----
inline int64_t place(const cusparseDnMatDescr& m, int64_t row, int64_t column) {
    return m.order == CUSPARSE_ORDER_ROW ? row * m.ld + column : column * m.ld + row;
}

inline bool is_reachable(const cusparseDnMatDescr& m) {
    if (m.rows == 0 || m.cols == 0) return true;
    return is_accessible(m.values, static_cast<size_t>(place(m, m.rows - 1, m.cols - 1) + 1) * bytes_of(m.value_type));
}

inline cusparseDnMatDescr as_matrix(const cusparseDnVecDescr& v) {
    return {v.size, 1, v.size, v.values, v.value_type, CUSPARSE_ORDER_COL};
}

inline cusparseDnMatDescr transposed(cusparseDnMatDescr m, cusparseOperation_t op) {
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

inline void mark_written(void* array, size_t element, int64_t at, int64_t count = 1) {
    char* begin = static_cast<char*>(array) + at * static_cast<int64_t>(element);
    simt_mark_written(begin, static_cast<size_t>(count) * element, SIMT_LIBRARY);
}

inline void store_index(cusparseIndexType_t type, void* indices, size_t at, int64_t value) {
    if (type == CUSPARSE_INDEX_64I) static_cast<int64_t*>(indices)[at] = value;
    else static_cast<int32_t*>(indices)[at] = static_cast<int32_t>(value);
}

inline void store_indices(cusparseIndexType_t type, void* indices, const std::vector<int64_t>& values, int64_t base) {
    for (size_t i = 0; i < values.size(); ++i) store_index(type, indices, i, values[i] + base);
    mark_written(indices, bytes_of(type), 0, static_cast<int64_t>(values.size()));
}

// `target`[at] = alpha * sum + beta * `target`[at]; with beta = 0 the old value is not read, and may be NaN.
template <class T>
void combine(cudaDataType type, void* target, int64_t at, T alpha, T sum, T beta) {
    T rest = beta == 0 ? T(0) : beta * load<T>(type, target, at);
    store<T>(type, target, at, alpha * sum + rest);
    mark_written(target, bytes_of(type), at);
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

// `name` is the function's. A refused call gives the right size, too: it is the status that the caller may not have looked at.
inline cusparseStatus_t workspace_of(const char* name, cusparseHandle_t handle, const cusparseSpMatDescr* m, size_t* bytes) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!m || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    LibrarySetup call(name);
    *bytes = workspace_bytes(*m);
    return call.is_refused() ? CUSPARSE_STATUS_INSUFFICIENT_RESOURCES : CUSPARSE_STATUS_SUCCESS;
}

// For functions that only look at whether their arguments are there.
template <class... Descriptors>
cusparseStatus_t checked(cusparseHandle_t handle, const Descriptors*... descriptors) {
    if (!handle) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return (... && descriptors) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

}  // namespace simt
