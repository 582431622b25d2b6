// cuBLASLt: the descriptors of matrices and products, and their attributes.
#include <cstring>
#include <new>
#include <string>

#include "cublasLt.h"
#include "library_refusals.h"

using namespace simt;

namespace {

using Layout = cublasLtMatrixLayoutOpaque_t;
using Description = cublasLtMatmulDescOpaque_t;
using Preference = cublasLtMatmulPreferenceOpaque_t;

// A member of a descriptor that an attribute names; without a place, the attribute is unknown.
struct Member {
    void* place = nullptr;
    size_t size = 0;
};
template <class T>
Member member(T& value) {
    return {&value, sizeof value};
}

Member member(Layout& layout, int attribute) {
    switch (attribute) {
        case CUBLASLT_MATRIX_LAYOUT_TYPE: return member(layout.type);
        case CUBLASLT_MATRIX_LAYOUT_ORDER: return member(layout.order);
        case CUBLASLT_MATRIX_LAYOUT_ROWS: return member(layout.rows);
        case CUBLASLT_MATRIX_LAYOUT_COLS: return member(layout.cols);
        case CUBLASLT_MATRIX_LAYOUT_LD: return member(layout.ld);
        case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return member(layout.batch_count);
        case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return member(layout.stride);
        default: return {};
    }
}

Member member(Description& description, int attribute) {
    switch (attribute) {
        case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return member(description.compute);
        case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return member(description.scale_type);
        case CUBLASLT_MATMUL_DESC_POINTER_MODE: return member(description.pointer_mode);
        case CUBLASLT_MATMUL_DESC_TRANSA: return member(description.op_a);
        case CUBLASLT_MATMUL_DESC_TRANSB: return member(description.op_b);
        case CUBLASLT_MATMUL_DESC_EPILOGUE: return member(description.epilogue);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return member(description.bias);
        case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return member(description.bias_stride);
        case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return member(description.bias_type);
        case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: return member(description.multiprocessors);
        case CUBLASLT_MATMUL_DESC_FAST_ACCUM: return member(description.fast_sums);
        default: return {};
    }
}

template <class Descriptor>
cublasStatus_t set(Descriptor* descriptor, int attribute, const void* value, size_t size) {
    explain_refusal("");
    if (!descriptor || !value) return refuse(CUBLAS_STATUS_INVALID_VALUE, "the descriptor or the value is a null pointer");
    Member found = member(*descriptor, attribute);
    std::string name = "attribute " + std::to_string(attribute);
    if (!found.place) return refuse(CUBLAS_STATUS_NOT_SUPPORTED, name + " is none that the simulated cuBLASLt has");
    if (size < found.size)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, name + " has " + std::to_string(found.size) +
                                                       " bytes, and the value given for it " + std::to_string(size));
    memcpy(found.place, value, found.size);
    return CUBLAS_STATUS_SUCCESS;
}

// With a size of 0 only the size that the attribute has is written.
template <class Descriptor>
cublasStatus_t get(const Descriptor* descriptor, int attribute, void* value, size_t size, size_t* written) {
    if (!descriptor) return CUBLAS_STATUS_INVALID_VALUE;
    Descriptor copy = *descriptor;
    Member found = member(copy, attribute);
    if (!found.place || (size != 0 && (size < found.size || !value)) || (size == 0 && !written))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (written) *written = found.size;
    if (size != 0) memcpy(value, found.place, found.size);
    return CUBLAS_STATUS_SUCCESS;
}

template <class Descriptor, class... Arguments>
cublasStatus_t create(Descriptor** descriptor, cublasStatus_t (*initialise)(Descriptor*, Arguments...),
                      Arguments... arguments) {
    if (!descriptor) return CUBLAS_STATUS_INVALID_VALUE;
    *descriptor = new (std::nothrow) Descriptor;
    return *descriptor ? initialise(*descriptor, arguments...) : CUBLAS_STATUS_ALLOC_FAILED;
}

template <class Descriptor>
cublasStatus_t destroy(const Descriptor* descriptor) {
    delete descriptor;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type, uint64_t rows, uint64_t cols,
                                        int64_t ld) {
    if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
    *layout =
        Layout{.type = type, .order = CUBLASLT_ORDER_COL, .rows = rows, .cols = cols, .ld = ld, .stride = 0, .batch_count = 1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows, uint64_t cols,
                                          int64_t ld) {
    return create(layout, cublasLtMatrixLayoutInit, type, rows, cols, ld);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(const cublasLtMatrixLayout_t layout) { return destroy(layout); }

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t size) {
    return set(layout, attribute, value, size);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(const cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value, size_t size, size_t* written) {
    return get(layout, attribute, value, size, written);
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t description, cublasComputeType_t compute,
                                      cudaDataType_t scale_type) {
    if (!description) return CUBLAS_STATUS_INVALID_VALUE;
    *description = Description{};
    description->compute = compute;
    description->scale_type = scale_type;
    description->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    description->bias_type = -1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                        cudaDataType_t scale_type) {
    return create(description, cublasLtMatmulDescInit, compute, scale_type);
}

cublasStatus_t cublasLtMatmulDescDestroy(const cublasLtMatmulDesc_t description) { return destroy(description); }

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t size) {
    return set(description, attribute, value, size);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(const cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute,
                                              void* value, size_t size, size_t* written) {
    return get(description, attribute, value, size, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
    if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
    *preference = Preference{};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    return create(preference, cublasLtMatmulPreferenceInit);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(const cublasLtMatmulPreference_t preference) { return destroy(preference); }

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t,
                                                    const void* value, size_t) {
    return preference && value ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
}
