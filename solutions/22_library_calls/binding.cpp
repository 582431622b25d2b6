// Three operators that libraries compute: row offsets by CUB, products by cuBLAS, sparse products
// by cuSPARSE.
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDADataType.h>
#include <ATen/cuda/Exceptions.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>

#include "descriptors.h"
#include "graph_layer.h"

namespace {

// ---- numbers that both libraries multiply with ----

struct Compute {
    cublasComputeType_t blas;
    cudaDataType sparse;
    const void *one, *zero;  // on the host, of the type that is computed in
};

constexpr float kOneAndZero[] = {1, 0};
constexpr double kWideOneAndZero[] = {1, 0};

Compute compute_for(at::ScalarType type) {
    // --8<-- [start:compute]
    if (type == at::kDouble)
        return {CUBLAS_COMPUTE_64F, CUDA_R_64F, &kWideOneAndZero[0], &kWideOneAndZero[1]};
    return {CUBLAS_COMPUTE_32F, CUDA_R_32F, &kOneAndZero[0], &kOneAndZero[1]};
    // --8<-- [end:compute]
}

// ---- checks ----

void check_type(const at::Tensor& x, const char* name) {
    TORCH_CHECK(x.is_cuda(), name, " must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble ||
                    x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16,
                name, " must be float32, float64, float16 or bfloat16, but is ", x.scalar_type());
}

void check_like(const at::Tensor& x, const at::Tensor& other, const char* name,
                const char* others_name) {
    TORCH_CHECK(x.device() == other.device(), name, " must be on ", other.device(), " like ",
                others_name, ", but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == other.scalar_type(), name, " must be ", other.scalar_type(),
                " like ", others_name, ", but is ", x.scalar_type());
}

void check_indices(const at::Tensor& x, const char* name, at::Device device) {
    TORCH_CHECK(x.is_cuda(), name, " must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.device() == device, name, " must be on ", device, ", but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == at::kInt, name, " must be int32, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() == 1, name, " must have 1 dimension, but has shape ", x.sizes());
}

int as_int(int64_t size) {
    TORCH_CHECK(size <= std::numeric_limits<int>::max(),
                "cuBLAS takes sizes below 2^31, but one is ", size);
    return static_cast<int>(size);
}

// ---- row offsets ----

at::Tensor offsets(const at::Tensor& rows, int64_t nodes) {
    check_indices(rows, "rows", rows.device());
    const c10::cuda::CUDAGuard guard(rows.device());
    const at::Tensor dense_rows = rows.contiguous();
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    // offsets[0] stays 0. The counts begin at [1], and their sums say where each row ends.
    at::Tensor out = at::zeros({nodes + 1}, rows.options());
    int* const counts = out.mutable_data_ptr<int>() + 1;
    launch_count(dense_rows.const_data_ptr<int>(), counts, rows.size(0), stream);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    if (nodes == 0) return out;
    // --8<-- [start:temporary]
    const size_t bytes = bytes_for_sums(nodes);
    const at::Tensor temporary =
        at::empty({static_cast<int64_t>(bytes)}, rows.options().dtype(at::kByte));
    launch_sums(temporary.data_ptr(), bytes, counts, nodes, stream);
    // --8<-- [end:temporary]
    return out;
}

// ---- products of dense matrices ----

// A matrix as cuBLAS takes it: it reads memory column by column.
struct Operand {
    cublasOperation_t op;
    int ld;           // elements from one column, as cuBLAS sees it, to the next
    int64_t to_next;  // elements from one matrix of the batch to the next; 0: there is one for all
};

// Whether the rows of x are dense, and one begins after the other: row-major, with or without gaps.
bool has_dense_rows(const at::Tensor& x) {
    return x.stride(-1) == 1 && x.stride(-2) >= std::max<int64_t>(1, x.size(-1));
}

// cuBLAS cannot read any strides: one of the last two dimensions has to be dense.
at::Tensor readable(const at::Tensor& x) {
    return has_dense_rows(x) || has_dense_rows(x.transpose(-2, -1)) ? x : x.contiguous();
}

// What cuBLAS needs to know to read x, of two or three dimensions, as the transpose of each
// matrix.
Operand transposed_operand(const at::Tensor& x) {
    // --8<-- [start:operand]
    const bool by_rows = has_dense_rows(x);
    const int64_t to_next = x.dim() == 3 ? x.stride(0) : 0;
    if (by_rows) return {CUBLAS_OP_N, as_int(x.stride(-2)), to_next};
    return {CUBLAS_OP_T, as_int(x.stride(-1)), to_next};
    // --8<-- [end:operand]
}

// a @ b for matrices, or batches of them; a matrix beside a batch serves all of it.
at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
    check_type(a, "a");
    check_like(b, a, "b", "a");
    TORCH_CHECK(a.dim() == 2 || a.dim() == 3, "a must have 2 or 3 dimensions, but has shape ",
                a.sizes());
    TORCH_CHECK((b.dim() == 2 || b.dim() == 3) && b.size(-2) == a.size(-1),
                "b must have as many rows as a has columns, ", a.size(-1), ", but has shape ",
                b.sizes());
    TORCH_CHECK(a.dim() == 2 || b.dim() == 2 || a.size(0) == b.size(0),
                "b must have the batch of a, ", a.size(0), ", but has shape ", b.sizes());
    const c10::cuda::CUDAGuard guard(a.device());
    const at::Tensor left = readable(a), right = readable(b);
    const at::Tensor& batched = a.dim() == 3 ? a : b;
    std::vector<int64_t> shape = batched.sizes().vec();
    shape.end()[-2] = a.size(-2);
    shape.end()[-1] = b.size(-1);
    at::Tensor out = at::empty(shape, a.options());
    if (out.numel() == 0) return out;
    if (a.size(-1) == 0) return out.zero_();
    const int rows = as_int(a.size(-2)), columns = as_int(b.size(-1)), depth = as_int(a.size(-1));
    const int batch = batched.dim() == 3 ? as_int(batched.size(0)) : 1;
    const cudaDataType type = at::cuda::ScalarTypeToCudaDataType(a.scalar_type());
    const Compute compute = compute_for(a.scalar_type());
    const Operand first = transposed_operand(right), second = transposed_operand(left);
    // --8<-- [start:product]
    // Row-major out is, read by columns, its transpose: outᵀ = bᵀ aᵀ.
    TORCH_CUDABLAS_CHECK(cublasGemmStridedBatchedEx(
        at::cuda::getCurrentCUDABlasHandle(), first.op, second.op, columns, rows, depth,
        compute.one, right.const_data_ptr(), type, first.ld, first.to_next, left.const_data_ptr(),
        type, second.ld, second.to_next, compute.zero, out.mutable_data_ptr(), type, columns,
        static_cast<int64_t>(rows) * columns, batch, compute.blas, CUBLAS_GEMM_DEFAULT));
    // --8<-- [end:product]
    return out;
}

// ---- products with a sparse matrix ----

// The entries of each matrix of the batch; one matrix's entries serve all if nothing else was
// given.
struct Entries {
    at::Tensor columns, values;
    int64_t to_next;
};

Entries entries_for(const at::Tensor& columns, const at::Tensor& values, int64_t batch) {
    // --8<-- [start:entries]
    if (values.dim() == 1) return {columns.contiguous(), values.contiguous(), 0};
    if (values.stride(0) == 0) return {columns.contiguous(), values.select(0, 0).contiguous(), 0};
    return {columns.expand({batch, columns.size(0)}).contiguous(), values.contiguous(),
            columns.size(0)};
    // --8<-- [end:entries]
}

// cuSPARSE reads one matrix for all of the batch, or matrices that follow one another: not those
// whose rows alternate.
bool has_matrices_apart(const at::Tensor& x) {
    return x.size(0) == 1 || x.stride(0) == 0 || x.stride(0) >= x.size(1) * x.stride(1);
}

// A @ x, or Aᵀ @ x, for each x of the batch. A has an entry values[i] in column columns[i] of each
// row; that of row r begin at offsets[r]. values: (entries) or (batch, entries).
at::Tensor propagate(const at::Tensor& offsets, const at::Tensor& columns, const at::Tensor& values,
                     const at::Tensor& x, bool transpose) {
    check_type(x, "x");
    TORCH_CHECK(x.dim() == 3, "x must have 3 dimensions, batch x nodes x features, but has shape ",
                x.sizes());
    check_indices(offsets, "offsets", x.device());
    check_indices(columns, "columns", x.device());
    check_like(values, x, "values", "x");
    const int64_t batch = x.size(0), nodes = x.size(1), features = x.size(2);
    TORCH_CHECK(offsets.size(0) == nodes + 1, "offsets must have a number for each of the ", nodes,
                " nodes of x and one more, but has shape ", offsets.sizes());
    TORCH_CHECK((values.dim() == 1 || (values.dim() == 2 && values.size(0) == batch)) &&
                    values.size(-1) == columns.size(0),
                "values must have one number for each of the ", columns.size(0),
                " columns, for all or for each of the ", batch, " graphs of x, but has shape ",
                values.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty({batch, nodes, features}, x.options());
    if (out.numel() == 0) return out;
    if (columns.size(0) == 0) return out.zero_();
    const at::Tensor dense_offsets = offsets.contiguous(),
                     dense_x = has_dense_rows(x) && has_matrices_apart(x) ? x : x.contiguous();
    const Entries entries = entries_for(columns, values, batch);
    const SparseMatrix a(dense_offsets, entries.columns, entries.values, nodes);
    const DenseMatrix from(dense_x), to(out);
    // --8<-- [start:batch]
    const int graphs = as_int(batch);
    TORCH_CUDASPARSE_CHECK(cusparseCsrSetStridedBatch(a, graphs, 0, entries.to_next));
    TORCH_CUDASPARSE_CHECK(cusparseDnMatSetStridedBatch(from, graphs, dense_x.stride(0)));
    TORCH_CUDASPARSE_CHECK(cusparseDnMatSetStridedBatch(to, graphs, out.stride(0)));
    // --8<-- [end:batch]
    const auto op = transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto algorithm = CUSPARSE_SPMM_ALG_DEFAULT;
    const Compute compute = compute_for(x.scalar_type());
    // --8<-- [start:spmm]
    const cusparseHandle_t handle = at::cuda::getCurrentCUDASparseHandle();
    size_t bytes = 0;
    TORCH_CUDASPARSE_CHECK(cusparseSpMM_bufferSize(handle, op, as_is, compute.one, a, from,
                                                   compute.zero, to, compute.sparse, algorithm,
                                                   &bytes));
    const at::Tensor workspace =
        at::empty({static_cast<int64_t>(bytes)}, x.options().dtype(at::kByte));
    TORCH_CUDASPARSE_CHECK(cusparseSpMM(handle, op, as_is, compute.one, a, from, compute.zero, to,
                                        compute.sparse, algorithm, workspace.data_ptr()));
    // --8<-- [end:spmm]
    return out;
}

}  // namespace

TORCH_LIBRARY(graph_layer, m) {
    m.def("offsets(Tensor rows, int nodes) -> Tensor");
    m.def("product(Tensor a, Tensor b) -> Tensor");
    m.def(
        "propagate(Tensor offsets, Tensor columns, Tensor values, Tensor x, bool transpose) -> "
        "Tensor");
}

TORCH_LIBRARY_IMPL(graph_layer, CUDA, m) {
    m.impl("offsets", &offsets);
    m.impl("product", &product);
    m.impl("propagate", &propagate);
}
