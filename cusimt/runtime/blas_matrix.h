// Matrices that cuBLAS is computed with in double: what the parts for symmetric and triangular matrices and for systems share.
#pragma once
#include <algorithm>
#include <vector>

#include "blas.h"

namespace simt {

template <class T>
bool is_matrix(const T* memory, int rows, int columns, int ld) {
    return is_accessible(memory, rows && columns ? (size_t(columns - 1) * size_t(ld) + size_t(rows)) * sizeof(T) : 0);
}

template <class T>
void written(T* memory, int rows, int columns, int ld) {
    for (int j = 0; j < columns; ++j) simt_mark_written(memory + size_t(j) * ld, size_t(rows) * sizeof(T), SIMT_LIBRARY);
}

// A copy in double, column by column.
struct Matrix {
    int rows, columns;
    std::vector<double> numbers;
    Matrix(int m, int n) : rows(m), columns(n), numbers(size_t(m) * size_t(n)) {}
    template <class T>
    Matrix(const T* memory, int m, int n, int ld) : Matrix(m, n) {
        for (int j = 0; j < n; ++j) std::copy_n(memory + size_t(j) * ld, m, &numbers[size_t(j) * size_t(m)]);
    }
    double& operator()(int i, int j) { return numbers[size_t(j) * size_t(rows) + size_t(i)]; }
    template <class T>
    void store(T* memory, int ld) {
        for (int j = 0; j < columns; ++j) {
            for (int i = 0; i < rows; ++i) memory[size_t(j) * ld + i] = T((*this)(i, j));
        }
        written(memory, rows, columns, ld);
    }
};

struct Triangle {
    cublasSideMode_t side;
    cublasFillMode_t uplo;
    cublasOperation_t op;
    cublasDiagType_t diagonal;
    int m, n;
    int order() const { return side == CUBLAS_SIDE_LEFT ? m : n; }
};

inline bool is_valid(const Triangle& triangle, int lda, int ldb) {
    return triangle.m >= 0 && triangle.n >= 0 && lda >= std::max(1, triangle.order()) && ldb >= std::max(1, triangle.m);
}

}  // namespace simt
