// Owners of cuSPARSE's descriptors: what a matrix looks like, on the host. Making one costs no
// device memory and no wait.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDADataType.h>
#include <ATen/cuda/Exceptions.h>
#include <cusparse.h>

// Square, in rows: offsets (nodes + 1) says where each row's entries begin.
class SparseMatrix {
public:
    SparseMatrix(const at::Tensor& offsets, const at::Tensor& columns, const at::Tensor& values,
                 int64_t nodes) {
        TORCH_CUDASPARSE_CHECK(cusparseCreateCsr(
            &descriptor_, nodes, nodes, columns.size(-1), offsets.data_ptr(), columns.data_ptr(),
            values.data_ptr(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
            at::cuda::ScalarTypeToCudaDataType(values.scalar_type())));
    }
    ~SparseMatrix() { cusparseDestroySpMat(descriptor_); }
    SparseMatrix(const SparseMatrix&) = delete;
    operator cusparseSpMatDescr_t() const { return descriptor_; }

private:
    cusparseSpMatDescr_t descriptor_ = nullptr;
};

// The last two dimensions of a tensor with dense rows.
class DenseMatrix {
public:
    explicit DenseMatrix(const at::Tensor& x) {
        TORCH_CUDASPARSE_CHECK(cusparseCreateDnMat(
            &descriptor_, x.size(-2), x.size(-1), x.stride(-2), x.data_ptr(),
            at::cuda::ScalarTypeToCudaDataType(x.scalar_type()), CUSPARSE_ORDER_ROW));
    }
    ~DenseMatrix() { cusparseDestroyDnMat(descriptor_); }
    DenseMatrix(const DenseMatrix&) = delete;
    operator cusparseDnMatDescr_t() const { return descriptor_; }

private:
    cusparseDnMatDescr_t descriptor_ = nullptr;
};
