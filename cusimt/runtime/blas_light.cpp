// cuBLASLt: a product of matrices with a bias and an activation. There is one algorithm, which every product has.
#include <climits>
#include <string>

#include "blas_product.h"
#include "cublasLt.h"
#include "library_refusals.h"

using namespace simt;

namespace {

using Layout = cublasLtMatrixLayoutOpaque_t;
using Description = cublasLtMatmulDescOpaque_t;

struct Layouts {
    const Layout *a, *b, *c, *d;
};

int rows_of(const Layout& layout, int op) { return int(op == CUBLAS_OP_N ? layout.rows : layout.cols); }
int cols_of(const Layout& layout, int op) { return int(op == CUBLAS_OP_N ? layout.cols : layout.rows); }

Operand operand(const Layout& layout, int op = CUBLAS_OP_N) {
    return simt::operand(nullptr, layout.type, int(layout.ld), static_cast<cublasOperation_t>(op));
}

Product product_of(const Description& description, const Layouts& layouts) {
    Product product{.m = int(layouts.d->rows),
                    .n = int(layouts.d->cols),
                    .k = cols_of(*layouts.a, description.op_a),
                    .alpha = 1,
                    .beta = 0,
                    .a = operand(*layouts.a, description.op_a),
                    .b = operand(*layouts.b, description.op_b),
                    .c = operand(*layouts.d),
                    .addend = operand(*layouts.c)};
    product.is_tf32 = are_floats(product) && description.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    return product;
}

cublasStatus_t refused_layout(const std::string& name, const Layout& layout, int batch_count) {
    if (layout.order != CUBLASLT_ORDER_COL)
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED, name + " has an order other than CUBLASLT_ORDER_COL, the only one here");
    if (layout.rows > INT_MAX || layout.cols > INT_MAX || layout.ld > INT_MAX)
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED, name + " has a size beyond 2^31 - 1");
    if (layout.batch_count != batch_count)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "the batch count of " + name + " is " + std::to_string(layout.batch_count) +
                                                       ", and that of D " + std::to_string(batch_count));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t refused_epilogue(const Description& description) {
    switch (description.epilogue) {
        case CUBLASLT_EPILOGUE_DEFAULT:
        case CUBLASLT_EPILOGUE_RELU:
        case CUBLASLT_EPILOGUE_GELU:
        case CUBLASLT_EPILOGUE_BIAS:
        case CUBLASLT_EPILOGUE_RELU_BIAS:
        case CUBLASLT_EPILOGUE_GELU_BIAS: return CUBLAS_STATUS_SUCCESS;
        default:
            return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "the epilogue " + std::to_string(description.epilogue) +
                                                           " is none that is simulated: a bias, RELU and GELU are");
    }
}

cublasStatus_t refusal_of(const Description& description, const Layouts& layouts) {
    if (description.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE)
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "alpha is a vector: it is a number here, on the host or on the device");
    const Layout& d = *layouts.d;
    for (auto [name, layout] : {std::pair{"A", layouts.a}, {"B", layouts.b}, {"C", layouts.c}, {"D", layouts.d}})
        if (cublasStatus_t status = refused_layout(name, *layout, d.batch_count)) return status;
    int k = cols_of(*layouts.a, description.op_a);
    bool fits = rows_of(*layouts.a, description.op_a) == int(d.rows) && rows_of(*layouts.b, description.op_b) == k &&
                cols_of(*layouts.b, description.op_b) == int(d.cols) && layouts.c->rows == d.rows && layouts.c->cols == d.cols;
    if (!fits)
        return refuse(CUBLAS_STATUS_INVALID_VALUE,
                      "the sizes do not fit: op(A) has as many rows as D and C, op(B) as many columns, "
                      "and op(A) as many columns as op(B) has rows");
    if (cublasStatus_t status = refused_epilogue(description)) return status;
    if (description.scale_type != type_of(description.compute))
        return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "alpha has another type than the one that the product is computed in");
    return simt::refusal_of(product_of(description, layouts), description.compute);
}

Epilogue epilogue_of(const Description& description, const Layout& d, int i) {
    using Activation = Epilogue::Activation;
    Epilogue epilogue;
    if (description.epilogue & CUBLASLT_EPILOGUE_RELU) epilogue.activation = Activation::relu;
    if (description.epilogue & CUBLASLT_EPILOGUE_GELU) epilogue.activation = Activation::gelu;
    if (description.epilogue & CUBLASLT_EPILOGUE_BIAS) {
        cudaDataType type = description.bias_type < 0 ? d.type : static_cast<cudaDataType>(description.bias_type);
        epilogue.bias = simt::operand(description.bias, type, int(d.rows));
        epilogue.bias.data = epilogue.bias.at(i * description.bias_stride);
    }
    return epilogue;
}

// A bias that the epilogue adds has to be in memory; a null pointer is none.
bool lacks_bias(const Description& description) {
    return (description.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 && !description.bias;
}

}  // namespace

extern "C" {
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, const cublasLtMatmulDesc_t description,
                                              const cublasLtMatrixLayout_t layout_a, const cublasLtMatrixLayout_t layout_b,
                                              const cublasLtMatrixLayout_t layout_c, const cublasLtMatrixLayout_t layout_d,
                                              const cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t* results, int* returned) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    explain_refusal("");
    if (!description || !layout_a || !layout_b || !layout_c || !layout_d || !preference || !results || !returned ||
        requested < 1)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "a pointer is null, or no result is requested");
    *returned = 0;
    if (cublasStatus_t status = refusal_of(*description, {layout_a, layout_b, layout_c, layout_d})) return status;
    *results = {};
    results->state = CUBLAS_STATUS_SUCCESS;
    results->wavesCount = 1;
    *returned = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, const cublasLtMatmulDesc_t description, const void* alpha, const void* a,
                              const cublasLtMatrixLayout_t layout_a, const void* b, const cublasLtMatrixLayout_t layout_b,
                              const void* beta, const void* c, const cublasLtMatrixLayout_t layout_c, void* d,
                              const cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t*, void*, size_t,
                              cudaStream_t stream) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    explain_refusal("");
    if (!description || !alpha || !beta || !layout_a || !layout_b || !layout_c || !layout_d)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "a descriptor, alpha or beta is a null pointer");
    if (cublasStatus_t status = refusal_of(*description, {layout_a, layout_b, layout_c, layout_d})) return status;
    if (lacks_bias(*description))
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "the epilogue adds a bias, whose pointer is not set");
    Product product = product_of(*description, {layout_a, layout_b, layout_c, layout_d});
    LibraryCall call("cuBLASLt matmul", stream, 2.0 * product.m * product.n * product.k * layout_d->batch_count);
    if (simt_library_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    product.alpha = scalar(alpha, description->scale_type);
    product.beta = scalar(beta, description->scale_type);
    if (!c && product.beta != 0) return refuse(CUBLAS_STATUS_INVALID_VALUE, "C is a null pointer, and beta is not 0");
    for (int i = 0; i < layout_d->batch_count; ++i) {
        product.a.data = simt::operand(a, layout_a->type, 0).at(i * layout_a->stride);
        product.b.data = simt::operand(b, layout_b->type, 0).at(i * layout_b->stride);
        product.addend.data = c ? simt::operand(c, layout_c->type, 0).at(i * layout_c->stride) : nullptr;
        product.c.data = simt::operand(d, layout_d->type, 0).at(i * layout_d->stride);
        product.epilogue = epilogue_of(*description, *layout_d, i);
        if (cublasStatus_t status = multiply(product, i)) return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}
}
