// One product of matrices as cuBLAS and cuBLASLt compute it, for every type of element that a program may name at run time.
#pragma once
#include <algorithm>
#include <string>

#include "blas.h"

namespace simt {

size_t element_bytes(cudaDataType type);  // of an element; 0 for types that no product has here

// A matrix in memory, column by column; `op` is applied to it when it is read.
struct Operand {
    void* data;
    cudaDataType type;
    int ld;
    cublasOperation_t op = CUBLAS_OP_N;

    void* at(long long element) const {
        return static_cast<char*>(data) + element * static_cast<long long>(element_bytes(type));
    }
    bool is_accessible(int rows, int cols) const {
        if (op != CUBLAS_OP_N) std::swap(rows, cols);
        if (rows == 0 || cols == 0) return true;
        return simt::is_accessible(data, (size_t(cols - 1) * ld + rows) * element_bytes(type));
    }
};

inline Operand operand(const void* data, cudaDataType type, int ld, cublasOperation_t op = CUBLAS_OP_N) {
    return {const_cast<void*>(data), type, ld, op};
}

// What becomes of an element of the result before it is rounded to the result's type: cuBLASLt's epilogue.
struct Epilogue {
    enum class Activation { none, relu, gelu } activation = Activation::none;
    Operand bias{};  // a column, added to each one of the result; its data is null if there is none
};

// c = epilogue(alpha * a * b + beta * addend): a is m x k, b is k x n.
struct Product {
    int m, n, k;
    double alpha, beta;
    Operand a, b, c;
    bool is_tf32 = false;
    Operand addend{};  // its data is null where beta multiplies what c held before
    Epilogue epilogue{};

    const Operand& added() const { return addend.data ? addend : c; }
};

cublasStatus_t negative(const char* argument, int value);

// Why the product's shape, its types or `compute`, what it is computed in, are none of cuBLAS.
cublasStatus_t refusal_of(const Product& product, cublasComputeType_t compute);

// Computes number `i` of a batch, if its matrices are in live memory.
cublasStatus_t multiply(const Product& product, int i);

// alpha or beta, which have the type that the product is computed in.
double scalar(const void* value, cudaDataType type);
cudaDataType type_of(cublasComputeType_t compute);

bool are_floats(const Product& product);  // both factors

}  // namespace simt
