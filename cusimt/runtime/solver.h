// What the parts of cuSOLVER share. They are a library of their own, libcusimt_solver.so, which is linked with PyTorch's: its
// LAPACK computes. Everything else here works without PyTorch.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "cusolverDn.h"
#include "simt_api.h"

struct cusolverDnContext {
    cudaStream_t stream = nullptr;
};

namespace simt {

class SolverCall {
  public:
    SolverCall(const char* name, cusolverDnHandle_t handle, double operations) {
        simt_begin_library_call(name, handle->stream, operations);
    }
    ~SolverCall() { simt_end_library_call(); }
    SolverCall(const SolverCall&) = delete;
};

// Elements from `memory` on that a call uses; all but `info` may be none.
struct Used {
    const void* memory;
    size_t bytes;
};
template <class T>
Used matrix(const T* memory, int rows, int columns, int ld) {
    return {memory, rows && columns ? (size_t(columns - 1) * size_t(ld) + size_t(rows)) * sizeof(T) : 0};
}
template <class T>
Used vector(const T* memory, int elements) {
    return {memory, size_t(std::max(elements, 0)) * sizeof(T)};
}

// CUSOLVER_STATUS_EXECUTION_FAILED where some of it is no memory of the device, or an earlier error is still there.
cusolverStatus_t check(std::initializer_list<Used> all);
// These were results of the library.
void written(std::initializer_list<Used> all);

constexpr auto kSuccess = CUSOLVER_STATUS_SUCCESS, kInvalid = CUSOLVER_STATUS_INVALID_VALUE;

// Answers how many elements the workspace of a call has, if what it was asked for is valid.
inline cusolverStatus_t size_of_workspace(cusolverDnHandle_t handle, bool valid, int elements, int* answer) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!valid || !answer) return kInvalid;
    *answer = std::max(1, elements);  // LAPACK has its own, on the host
    return kSuccess;
}

inline char fill(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U'; }
inline char operation(cublasOperation_t op) { return op == CUBLAS_OP_N ? 'N' : 'T'; }

}  // namespace simt
