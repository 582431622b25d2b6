// cuBLAS: products of matrices, alone and in batches, for every type of element that a program may name at run time.
//
// Operands are unpacked into columns of float, or of double for 64-bit floats and integers, so that one loop serves all types.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // vectors in the innermost loop, which clang makes of -O2
#endif
#include <algorithm>
#include <string>
#include <vector>

#include "blas.h"
#include "library_refusals.h"
#include "simt/small_float.h"

using namespace simt;

namespace {

template <class Number>
struct Plain {
    using Stored = Number;
    static double load(Stored value) { return double(value); }
    static Stored store(double value) { return Stored(value); }
};
template <int E, int M>
struct Short {
    using Stored = uint16_t;
    static double load(Stored value) { return decode<E, M>(value); }
    static Stored store(double value) { return encode<E, M>(value); }
};

// Calls `function` with what converts elements of `type`; false for types that no product has here.
template <class Function>
bool with_element(cudaDataType type, Function function) {
    switch (type) {
        case CUDA_R_32F: return function(Plain<float>()), true;
        case CUDA_R_64F: return function(Plain<double>()), true;
        case CUDA_R_16F: return function(Short<5, 10>()), true;
        case CUDA_R_16BF: return function(Short<8, 7>()), true;
        case CUDA_R_8I: return function(Plain<int8_t>()), true;
        case CUDA_R_32I: return function(Plain<int32_t>()), true;
        default: return false;
    }
}

size_t bytes_of(cudaDataType type) {
    size_t bytes = 0;
    with_element(type, [&](auto element) { bytes = sizeof(typename decltype(element)::Stored); });
    return bytes;
}

struct Matrix {
    void* data;
    cudaDataType type;
    int ld;
    cublasOperation_t op = CUBLAS_OP_N;

    void* at(long long element) const { return static_cast<char*>(data) + element * static_cast<long long>(bytes_of(type)); }
    bool is_accessible(int rows, int cols) const {
        if (op != CUBLAS_OP_N) std::swap(rows, cols);
        if (rows == 0 || cols == 0) return true;
        return simt::is_accessible(data, (size_t(cols - 1) * ld + rows) * bytes_of(type));
    }
};

struct Product {
    int m, n, k;
    double alpha, beta;
    Matrix a, b, c;
    bool is_tf32 = false;
};

// TF32 has 10 of the 23 bits of a float's mantissa. Factors are rounded to the nearest, ties to even: so they came out of an H200
// (cuBLAS of CUDA 13.0), and PyTorch's notes on CUDA semantics say that they are rounded. NaN keeps its quiet bit.
float as_tf32(float value) {
    constexpr uint32_t kRead = ~((1u << 13) - 1), kBelowHalf = (1u << 12) - 1, kExponent = 0x7f800000;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & kExponent) != kExponent) bits += kBelowHalf + (bits >> 13 & 1);
    bits &= kRead;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// op(matrix), `rows` times `cols`, column by column without gaps.
template <class T>
std::vector<T> unpacked(const Matrix& matrix, int rows, int cols) {
    std::vector<T> columns(size_t(rows) * cols);
    with_element(matrix.type, [&](auto element) {
        const auto* stored = static_cast<const typename decltype(element)::Stored*>(matrix.data);
        size_t down = matrix.op == CUBLAS_OP_N ? 1 : matrix.ld, right = matrix.op == CUBLAS_OP_N ? matrix.ld : 1;
        for (size_t column = 0, i = 0; column < size_t(cols); ++column)
            for (size_t row = 0; row < size_t(rows); ++row, ++i)
                columns[i] = T(element.load(stored[row * down + column * right]));
    });
    return columns;
}

// beta 0: what C held before may be NaN, or nothing at all.
template <class T>
void write_column(const Product& product, int column, const std::vector<T>& sums) {
    with_element(product.c.type, [&](auto element) {
        void* start = product.c.at(static_cast<long long>(column) * product.c.ld);
        auto* stored = static_cast<typename decltype(element)::Stored*>(start);
        T alpha = T(product.alpha), beta = T(product.beta);
        for (int row = 0; row < product.m; ++row) {
            T before = beta == 0 ? 0 : beta * T(element.load(stored[row]));
            stored[row] = element.store(double(alpha * sums[row] + before));
        }
        simt_mark_written(stored, size_t(product.m) * sizeof *stored, SIMT_LIBRARY);
    });
}

template <class T>
void multiply(const Product& product) {
    size_t m = product.m, k = product.alpha == 0 ? 0 : product.k;
    std::vector<T> a = unpacked<T>(product.a, product.m, int(k)), b = unpacked<T>(product.b, int(k), product.n), sums(m);
    if (product.is_tf32)
        for (std::vector<T>* factors : {&a, &b})
            for (T& each : *factors) each = T(as_tf32(float(each)));
    for (int column = 0; column < product.n; ++column) {
        std::fill(sums.begin(), sums.end(), T(0));
        for (size_t i = 0; i < k; ++i) {
            T factor = b[size_t(column) * k + i];
            const T* terms = &a[i * m];
            for (size_t row = 0; row < m; ++row) sums[row] += terms[row] * factor;
        }
        write_column(product, column, sums);
    }
}

// The name of the leading dimension of the matrix with that name.
std::string leading(const std::string& name) { return name == "A" ? "lda" : name == "B" ? "ldb" : "ldc"; }

cublasStatus_t negative(const char* argument, int value) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  std::string(argument) + " is " + std::to_string(value) + ", and no size is negative");
}

// `least`, the argument `size`, is how many elements a column of the matrix has in memory.
cublasStatus_t short_leading(const std::string& name, const Matrix& matrix, const char* size, int least) {
    std::string op = name == "C" ? "" : matrix.op == CUBLAS_OP_N ? " if its op is CUBLAS_OP_N" : " if its op is CUBLAS_OP_T";
    return refuse(CUBLAS_STATUS_INVALID_VALUE, leading(name) + " is " + std::to_string(matrix.ld) + ", and must be at least " +
                                                   std::to_string(least) + ": that is " + size +
                                                   ", the length of a column of " + name + " in memory" + op);
}

cublasStatus_t invalid_shape(const Product& p) {
    if (p.m < 0) return negative("m", p.m);
    if (p.n < 0) return negative("n", p.n);
    if (p.k < 0) return negative("k", p.k);
    bool flips_a = p.a.op != CUBLAS_OP_N, flips_b = p.b.op != CUBLAS_OP_N;
    int least_a = std::max(1, flips_a ? p.k : p.m), least_b = std::max(1, flips_b ? p.n : p.k);
    if (p.a.ld < least_a) return short_leading("A", p.a, flips_a ? "k" : "m", least_a);
    if (p.b.ld < least_b) return short_leading("B", p.b, flips_b ? "n" : "k", least_b);
    if (p.c.ld < std::max(1, p.m)) return short_leading("C", p.c, "m", std::max(1, p.m));
    bool known = bytes_of(p.a.type) && bytes_of(p.b.type) && bytes_of(p.c.type);
    return known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t out_of_memory(const std::string& name, const Matrix& matrix, int i) {
    return refuse(CUBLAS_STATUS_EXECUTION_FAILED, name + " of product " + std::to_string(i) +
                                                      " in the batch, counted from 0, reaches beyond its memory: look at its " +
                                                      "address, its stride in the batch and " + leading(name) + ", which is " +
                                                      std::to_string(matrix.ld));
}

cublasStatus_t multiply(const Product& p, int i) {
    if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
    if (!p.a.is_accessible(p.m, p.k)) return out_of_memory("A", p.a, i);
    if (!p.b.is_accessible(p.k, p.n)) return out_of_memory("B", p.b, i);
    if (!p.c.is_accessible(p.m, p.n)) return out_of_memory("C", p.c, i);
    bool is_wide = p.c.type == CUDA_R_64F || p.c.type == CUDA_R_32I;
    is_wide ? multiply<double>(p) : multiply<float>(p);
    return CUBLAS_STATUS_SUCCESS;
}

// alpha and beta have the type that the product is computed in.
double scalar(const void* value, cublasComputeType_t compute) {
    switch (compute) {
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: return decode<5, 10>(*static_cast<const uint16_t*>(value));
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC: return *static_cast<const double*>(value);
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC: return *static_cast<const int32_t*>(value);
        default: return *static_cast<const float*>(value);
    }
}

struct Scalars {
    const void *alpha, *beta;
    cublasComputeType_t compute;
};

// Half precision is summed in float or, if all matrices are half, in half; each other type in itself.
bool is_supported(const Product& product, cublasComputeType_t compute) {
    cudaDataType a = product.a.type, c = product.c.type;
    switch (compute) {
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: return a == CUDA_R_16F && c == CUDA_R_16F;
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC: return a == CUDA_R_64F && c == CUDA_R_64F;
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC: return a == CUDA_R_8I && c == CUDA_R_32I;
        default: return a != CUDA_R_64F && c != CUDA_R_64F && c != CUDA_R_32I;
    }
}

bool uses_tf32(cublasHandle_t handle, const Product& product, cublasComputeType_t compute) {
    bool are_floats = product.a.type == CUDA_R_32F && product.b.type == CUDA_R_32F;
    bool by_handle = compute == CUBLAS_COMPUTE_32F && handle->math_mode == CUBLAS_TF32_TENSOR_OP_MATH;
    return are_floats && (compute == CUBLAS_COMPUTE_32F_FAST_TF32 || by_handle);
}

// `count` products; `place(i, product)` says where the matrices of number i lie.
template <class Place>
cublasStatus_t run(cublasHandle_t handle, Product product, const Scalars& scalars, int count, Place place) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    explain_refusal("");
    if (!scalars.alpha || !scalars.beta)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, std::string(scalars.alpha ? "beta" : "alpha") + " is a null pointer");
    if (count < 0) return negative("batchCount", count);
    if (cublasStatus_t status = invalid_shape(product)) return status;
    if (product.a.type != product.b.type) return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "A and B have different types");
    if (!is_supported(product, scalars.compute))
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "the compute type does not go with the types of the matrices");
    BlasCall call("cuBLAS gemm", handle, 2.0 * product.m * product.n * product.k * count);
    if (simt_sticky_error()) return CUBLAS_STATUS_EXECUTION_FAILED;
    product.alpha = scalar(scalars.alpha, scalars.compute);
    product.beta = scalar(scalars.beta, scalars.compute);
    product.is_tf32 = uses_tf32(handle, product, scalars.compute);
    for (int i = 0; i < count; ++i) {
        place(i, product);
        if (cublasStatus_t status = multiply(product, i)) return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

Matrix matrix(const void* data, cudaDataType type, int ld, cublasOperation_t op = CUBLAS_OP_N) {
    return {const_cast<void*>(data), type, ld, op};
}

}  // namespace

extern "C" {
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                                          int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                          long long int stride_a, const void* b, cudaDataType type_b, int ldb,
                                          long long int stride_b, const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long int stride_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    Matrix first_a = matrix(a, type_a, lda, op_a), first_b = matrix(b, type_b, ldb, op_b), first_c = matrix(c, type_c, ldc);
    Product product{m, n, k, 1, 0, first_a, first_b, first_c};
    return run(handle, product, {alpha, beta, compute}, count, [&](int i, Product& next) {
        next.a.data = first_a.at(i * stride_a);
        next.b.data = first_b.at(i * stride_b);
        next.c.data = first_c.at(i * stride_c);
    });
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                   const void* alpha, const void* const a[], cudaDataType type_a, int lda,
                                   const void* const b[], cudaDataType type_b, int ldb, const void* beta, void* const c[],
                                   cudaDataType type_c, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    Product product{
        m, n, k, 1, 0, matrix(nullptr, type_a, lda, op_a), matrix(nullptr, type_b, ldb, op_b), matrix(nullptr, type_c, ldc)};
    return run(handle, product, {alpha, beta, compute}, count, [&](int i, Product& next) {
        next.a.data = const_cast<void*>(a[i]);
        next.b.data = const_cast<void*>(b[i]);
        next.c.data = c[i];
    });
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b,
                            int ldb, const void* beta, void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                                      ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc) {
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

#define SIMT_BLAS(X, T, TYPE, COMPUTE)                                                                                         \
    cublasStatus_t cublas##X##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, \
                                                 int n, int k, const T* alpha, const T* a, int lda, long long int stride_a,    \
                                                 const T* b, int ldb, long long int stride_b, const T* beta, T* c, int ldc,    \
                                                 long long int stride_c, int count) {                                          \
        return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, TYPE, lda, stride_a, b, TYPE, ldb, stride_b,  \
                                          beta, c, TYPE, ldc, stride_c, count, COMPUTE, CUBLAS_GEMM_DEFAULT);                  \
    }                                                                                                                          \
    cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, \
                                   const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {   \
        return cublas##X##gemmStridedBatched(handle, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);    \
    }                                                                                                                          \
    cublasStatus_t cublas##X##gemmBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, \
                                          int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,     \
                                          const T* beta, T* const c[], int ldc, int count) {                                   \
        return cublasGemmBatchedEx(handle, op_a, op_b, m, n, k, alpha, reinterpret_cast<const void* const*>(a), TYPE, lda,     \
                                   reinterpret_cast<const void* const*>(b), TYPE, ldb, beta,                                   \
                                   reinterpret_cast<void* const*>(c), TYPE, ldc, count, COMPUTE, CUBLAS_GEMM_DEFAULT);         \
    }
SIMT_BLAS(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
SIMT_BLAS(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
SIMT_BLAS(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
}
