// cuSPARSE: triangular systems, with one right-hand side (SpSV) or with many (SpSM).
#include "sparse_operands.h"

struct cusparseSpSVDescr {
    void* buffer = nullptr;  // from the analysis on
};
struct cusparseSpSMDescr {
    void* buffer = nullptr;
};

using namespace simt;

namespace {

struct System {
    cusparseHandle_t handle;
    bool flip;
    const void* alpha;
    const cusparseSpMatDescr& a;
    cusparseDnMatDescr b, c;  // B already transposed, where it is to be
    cudaDataType type;

    cusparseStatus_t refused() const {
        if (a.rows != a.cols || b.rows != a.rows || c.rows != a.rows || b.cols != c.cols) return CUSPARSE_STATUS_INVALID_VALUE;
        bool plain = a.value_type == type && b.value_type == type && c.value_type == type && a.batches == 1;
        return plain ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
    }
};

// C's rows in the order of substitution. What lies in the other triangle of A is not looked at; a diagonal that A lacks is zero.
template <class T>
void substitute(const Rows<T>& rows, bool lower, bool unit, T alpha, const System& system) {
    int64_t n = system.c.rows, width = system.c.cols;
    std::vector<T> right = unpacked<T>(system.b), sums(static_cast<size_t>(width));
    std::vector<T> solved(right.size());
    for (int64_t step = 0; step < n; ++step) {
        int64_t i = lower ? step : n - 1 - step;
        T pivot = unit ? T(1) : T(0);
        std::fill(sums.begin(), sums.end(), T(0));
        for (int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
            auto [column, value] = rows.entries[k];
            if (column == i && !unit) pivot += value;
            if (lower ? column >= i : column <= i) continue;
            for (int64_t j = 0; j < width; ++j) sums[j] += value * solved[column * width + j];
        }
        for (int64_t j = 0; j < width; ++j) {
            T value = (alpha * right[i * width + j] - sums[j]) / pivot;
            solved[i * width + j] = value;
            store(system.c.value_type, system.c.values, place(system.c, i, j), value);
            mark_written(system.c.values, bytes_of(system.c.value_type), place(system.c, i, j));
        }
    }
}

cusparseStatus_t solve(const char* name, const System& system, const void* buffer) {
    if (cusparseStatus_t status = system.refused()) return status;
    if (!buffer) return CUSPARSE_STATUS_INVALID_VALUE;  // no analysis
    double operations = 2.0 * static_cast<double>(system.a.nnz) * static_cast<double>(system.c.cols);
    LibraryCall call(name, system.handle->stream, operations);
    bool reachable = is_accessible(buffer, workspace_bytes(system.a)) && is_reachable(system.a) && is_reachable(system.b);
    if (!reachable || !is_reachable(system.c) || simt_library_call_fails()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    return with_scalars(system.handle, {system.alpha, system.alpha, system.type}, [&](auto alpha, auto) {
        Rows<decltype(alpha)> rows;
        if (!gather(system.a, system.flip, rows)) return false;
        bool lower = (system.a.fill == CUSPARSE_FILL_MODE_LOWER) != system.flip;
        substitute(rows, lower, system.a.diagonal == CUSPARSE_DIAG_TYPE_UNIT, alpha, system);
        return true;
    });
}

template <class Descriptor>
cusparseStatus_t analyse(const char* name, const System& system, Descriptor& descriptor, void* buffer) {
    if (cusparseStatus_t status = system.refused()) return status;
    LibraryCall call(name, system.handle->stream, static_cast<double>(system.a.nnz));
    if (!use_workspace(buffer, system.a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (simt_library_call_fails()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    descriptor.buffer = buffer;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descriptor) {
    return create(descriptor, true, cusparseSpSVDescr());
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descriptor) { return destroy(descriptor); }
#define SIMT_SPSV                                                                                    \
    cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, \
        cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpSVAlg_t,   \
        cusparseSpSVDescr_t descriptor
#define SIMT_SYSTEM {handle, op != CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, *a, as_matrix(*x), as_matrix(*y), type}
cusparseStatus_t cusparseSpSV_bufferSize(SIMT_SPSV, size_t* bytes) {
    (void)op, (void)alpha, (void)x, (void)y, (void)type, (void)descriptor;
    return workspace_of(__func__, handle, a, bytes);
}
cusparseStatus_t cusparseSpSV_analysis(SIMT_SPSV, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, x, y, descriptor)) return status;
    return analyse("cuSPARSE SpSV analysis", SIMT_SYSTEM, *descriptor, buffer);
}
cusparseStatus_t cusparseSpSV_solve(SIMT_SPSV) {
    if (cusparseStatus_t status = checked(handle, a, x, y, descriptor)) return status;
    return solve("cuSPARSE SpSV", SIMT_SYSTEM, descriptor->buffer);
}
#undef SIMT_SYSTEM

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* descriptor) {
    return create(descriptor, true, cusparseSpSMDescr());
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descriptor) { return destroy(descriptor); }
#define SIMT_SPSM                                                                                            \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,          \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType type, \
        cusparseSpSMAlg_t, cusparseSpSMDescr_t descriptor
#define SIMT_SYSTEM {handle, op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, *a, transposed(*b, op_b), *c, type}
cusparseStatus_t cusparseSpSM_bufferSize(SIMT_SPSM, size_t* bytes) {
    (void)op_a, (void)op_b, (void)alpha, (void)b, (void)c, (void)type, (void)descriptor;
    return workspace_of(__func__, handle, a, bytes);
}
cusparseStatus_t cusparseSpSM_analysis(SIMT_SPSM, void* buffer) {
    if (cusparseStatus_t status = checked(handle, a, b, c, descriptor)) return status;
    return analyse("cuSPARSE SpSM analysis", SIMT_SYSTEM, *descriptor, buffer);
}
cusparseStatus_t cusparseSpSM_solve(SIMT_SPSM) {
    if (cusparseStatus_t status = checked(handle, a, b, c, descriptor)) return status;
    return solve("cuSPARSE SpSM", SIMT_SYSTEM, descriptor->buffer);
}
}
