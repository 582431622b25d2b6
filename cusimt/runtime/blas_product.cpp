// cuBLAS: one product of matrices.
//
// Operands are unpacked into columns of float, or of double for 64-bit floats and integers, so that one loop serves all types.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // vectors in the innermost loop, which clang makes of -O2
#endif
#include "blas_product.h"

#include <cmath>
#include <cstring>
#include <vector>

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
std::vector<T> unpacked(const Operand& matrix, int rows, int cols) {
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

template <class T>
T activated(T value, Epilogue::Activation activation) {
    constexpr T kScale = T(0.7978845608028654), kCubic = T(0.044715);  // of GELU by tanh
    switch (activation) {
        case Epilogue::Activation::relu: return value < 0 ? T(0) : value;
        case Epilogue::Activation::gelu: return value / 2 * (1 + std::tanh(kScale * (value + kCubic * value * value * value)));
        default: return value;
    }
}

// Adds `factor` times a column of `matrix` to `sums`; nothing if the factor is 0: what C held before may be NaN, or not written.
template <class T>
void add_column(std::vector<T>& sums, const Operand& matrix, int column, double factor) {
    if (factor == 0) return;
    with_element(matrix.type, [&](auto element) {
        const void* start = matrix.at(static_cast<long long>(column) * matrix.ld);
        const auto* stored = static_cast<const typename decltype(element)::Stored*>(start);
        for (size_t row = 0; row < sums.size(); ++row) sums[row] += T(factor) * T(element.load(stored[row]));
    });
}

template <class T>
void write_column(const Product& product, int column, const std::vector<T>& values) {
    with_element(product.c.type, [&](auto element) {
        void* start = product.c.at(static_cast<long long>(column) * product.c.ld);
        auto* stored = static_cast<typename decltype(element)::Stored*>(start);
        for (size_t row = 0; row < values.size(); ++row)
            stored[row] = element.store(double(activated(values[row], product.epilogue.activation)));
        simt_mark_written(stored, values.size() * sizeof *stored, SIMT_LIBRARY);
    });
}

template <class T>
void compute(const Product& product) {
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
        for (T& sum : sums) sum = T(product.alpha) * sum + T(0);  // no negative zero
        add_column(sums, product.added(), column, product.beta);
        add_column(sums, product.epilogue.bias, 0, product.epilogue.bias.data ? 1 : 0);
        write_column(product, column, sums);
    }
}

// The name of the leading dimension of the matrix with that name.
std::string leading(const std::string& name) { return name == "A" ? "lda" : name == "B" ? "ldb" : "ldc"; }

// `least`, the argument `size`, is how many elements a column of the matrix has in memory.
cublasStatus_t short_leading(const std::string& name, const Operand& matrix, const char* size, int least) {
    std::string op = name == "C" ? "" : matrix.op == CUBLAS_OP_N ? " if its op is CUBLAS_OP_N" : " if its op is CUBLAS_OP_T";
    return refuse(CUBLAS_STATUS_INVALID_VALUE, leading(name) + " is " + std::to_string(matrix.ld) + ", and must be at least " +
                                                   std::to_string(least) + ": that is " + size +
                                                   ", the length of a column of " + name + " in memory" + op);
}

cublasStatus_t out_of_memory(const std::string& name, const Operand& matrix, int i) {
    return refuse(CUBLAS_STATUS_EXECUTION_FAILED, name + " of product " + std::to_string(i) +
                                                      " in the batch, counted from 0, reaches beyond its memory: look at its " +
                                                      "address, its stride in the batch and " + leading(name) + ", which is " +
                                                      std::to_string(matrix.ld));
}

cublasStatus_t invalid_shape(const Product& p) {
    if (p.m < 0) return simt::negative("m", p.m);
    if (p.n < 0) return simt::negative("n", p.n);
    if (p.k < 0) return simt::negative("k", p.k);
    bool flips_a = p.a.op != CUBLAS_OP_N, flips_b = p.b.op != CUBLAS_OP_N;
    int least_a = std::max(1, flips_a ? p.k : p.m), least_b = std::max(1, flips_b ? p.n : p.k);
    if (p.a.ld < least_a) return short_leading("A", p.a, flips_a ? "k" : "m", least_a);
    if (p.b.ld < least_b) return short_leading("B", p.b, flips_b ? "n" : "k", least_b);
    if (p.c.ld < std::max(1, p.m)) return short_leading("C", p.c, "m", std::max(1, p.m));
    bool known = element_bytes(p.a.type) && element_bytes(p.b.type) && element_bytes(p.c.type);
    return known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

// Half precision is summed in float or, if all matrices are half, in half; each other type in itself.
bool is_supported(const Product& product, cublasComputeType_t compute) {
    cudaDataType a = product.a.type, c = product.c.type;
    switch (type_of(compute)) {
        case CUDA_R_16F: return a == CUDA_R_16F && c == CUDA_R_16F;
        case CUDA_R_64F: return a == CUDA_R_64F && c == CUDA_R_64F;
        case CUDA_R_32I: return a == CUDA_R_8I && c == CUDA_R_32I;
        default: return a != CUDA_R_64F && c != CUDA_R_64F && c != CUDA_R_32I;
    }
}

}  // namespace

namespace simt {

size_t element_bytes(cudaDataType type) {
    size_t bytes = 0;
    with_element(type, [&](auto element) { bytes = sizeof(typename decltype(element)::Stored); });
    return bytes;
}

bool are_floats(const Product& product) { return product.a.type == CUDA_R_32F && product.b.type == CUDA_R_32F; }

cublasStatus_t negative(const char* argument, int value) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  std::string(argument) + " is " + std::to_string(value) + ", and no size is negative");
}

cublasStatus_t refusal_of(const Product& product, cublasComputeType_t compute) {
    if (cublasStatus_t status = invalid_shape(product)) return status;
    if (product.a.type != product.b.type) return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "A and B have different types");
    if (!is_supported(product, compute))
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "the compute type does not go with the types of the matrices");
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t multiply(const Product& p, int i) {
    if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
    if (!p.a.is_accessible(p.m, p.k)) return out_of_memory("A", p.a, i);
    if (!p.b.is_accessible(p.k, p.n)) return out_of_memory("B", p.b, i);
    if (!p.c.is_accessible(p.m, p.n)) return out_of_memory("C", p.c, i);
    if (p.beta != 0 && p.addend.data && !p.addend.is_accessible(p.m, p.n)) return out_of_memory("C", p.addend, i);
    if (p.epilogue.bias.data && !p.epilogue.bias.is_accessible(p.m, 1))
        return refuse(CUBLAS_STATUS_EXECUTION_FAILED,
                      "the bias, a column of " + std::to_string(p.m) + " rows, reaches beyond its memory");
    bool is_wide = p.c.type == CUDA_R_64F || p.c.type == CUDA_R_32I;
    is_wide ? compute<double>(p) : compute<float>(p);
    return CUBLAS_STATUS_SUCCESS;
}

double scalar(const void* value, cudaDataType type) {
    double number = 0;
    with_element(type,
                 [&](auto element) { number = element.load(*static_cast<const typename decltype(element)::Stored*>(value)); });
    return number;
}

cudaDataType type_of(cublasComputeType_t compute) {
    switch (compute) {
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: return CUDA_R_16F;
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC: return CUDA_R_64F;
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC: return CUDA_R_32I;
        default: return CUDA_R_32F;
    }
}

}  // namespace simt
