// Between PyTorch and the launchers: checks, dense operands, allocation, dtype dispatch, stream, launch
// check; and the choice between the fast backward and the one with the same bits every time.
#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <vector>

template <typename T, typename Index>
void launch_gather(const T* weight, const Index* indices, T* out, unsigned long long* outside, int64_t n,
                   int64_t rows, int64_t columns, cudaStream_t stream);
template <typename T, typename Index>
void launch_scatter(const T* grad_out, const Index* indices, T* grad_weight, int64_t n, int64_t rows,
                    int64_t columns, cudaStream_t stream);
template <typename T, typename Index>
void launch_segments(const T* grad_out, const Index* sorted, const int64_t* order, T* grad_weight,
                     int64_t count, int64_t rows, int64_t columns, cudaStream_t stream);

namespace {

void check_indices(const at::Tensor& indices) {
    TORCH_CHECK(indices.is_cuda(), "indices must be a CUDA tensor, but is on ", indices.device());
    TORCH_CHECK(indices.scalar_type() == at::kInt || indices.scalar_type() == at::kLong,
                "indices must be int32 or int64, but is ", indices.scalar_type());
}

at::Tensor embedding(const at::Tensor& indices, const at::Tensor& weight, bool check) {
    check_indices(indices);
    TORCH_CHECK(weight.device() == indices.device(), "weight must be on ", indices.device(),
                " like indices, but is on ", weight.device());
    TORCH_CHECK(weight.dim() == 2, "weight must have 2 dimensions, rows and columns, but has shape ",
                weight.sizes());
    const c10::cuda::CUDAGuard guard(indices.device());
    const at::Tensor dense_indices = indices.contiguous();
    const at::Tensor dense_weight = weight.contiguous();
    std::vector<int64_t> sizes = indices.sizes().vec();
    sizes.push_back(weight.size(1));
    at::Tensor out = at::empty(sizes, weight.options());
    const at::Tensor outside = at::zeros(check ? 1 : 0, indices.options().dtype(at::kLong));
    AT_DISPATCH_FLOATING_TYPES(weight.scalar_type(), "embedding", [&] {
        AT_DISPATCH_INDEX_TYPES(indices.scalar_type(), "embedding", [&] {
            launch_gather<scalar_t, index_t>(
                dense_weight.const_data_ptr<scalar_t>(), dense_indices.const_data_ptr<index_t>(),
                out.mutable_data_ptr<scalar_t>(),
                check ? reinterpret_cast<unsigned long long*>(outside.mutable_data_ptr<int64_t>()) : nullptr,
                out.numel(), weight.size(0), weight.size(1), c10::cuda::getCurrentCUDAStream());
        });
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [start:refuse]
    if (check) {
        const int64_t count = outside.item<int64_t>();  // waits for the kernel: only on request
        TORCH_CHECK(count == 0, "indices holds ", count, " values outside of [0, ", weight.size(0),
                    "), the rows of weight");
    }
    // --8<-- [end:refuse]
    return out;
}

// grad: one row of `columns` for each of the indices. Adds them to grad_weight in any order.
void scatter(const at::Tensor& grad, const at::Tensor& indices, const at::Tensor& grad_weight) {
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "embedding_backward", [&] {
        AT_DISPATCH_INDEX_TYPES(indices.scalar_type(), "embedding_backward", [&] {
            launch_scatter<scalar_t, index_t>(
                grad.const_data_ptr<scalar_t>(), indices.const_data_ptr<index_t>(),
                grad_weight.mutable_data_ptr<scalar_t>(), grad.numel(), grad_weight.size(0),
                grad_weight.size(1), c10::cuda::getCurrentCUDAStream());
        });
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

// sorted: the indices in ascending order; order: where each of them was. Adds up the rows of `grad` segment
// by segment.
void add_segments(const at::Tensor& grad, const at::Tensor& sorted, const at::Tensor& order,
                  const at::Tensor& grad_weight) {
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "embedding_backward", [&] {
        AT_DISPATCH_INDEX_TYPES(sorted.scalar_type(), "embedding_backward", [&] {
            launch_segments<scalar_t, index_t>(
                grad.const_data_ptr<scalar_t>(), sorted.const_data_ptr<index_t>(),
                order.const_data_ptr<int64_t>(), grad_weight.mutable_data_ptr<scalar_t>(), sorted.numel(),
                grad_weight.size(0), grad_weight.size(1), c10::cuda::getCurrentCUDAStream());
        });
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

// The gradient of weight, which has `rows` rows.
at::Tensor embedding_backward(const at::Tensor& grad_out, const at::Tensor& indices, int64_t rows) {
    check_indices(indices);
    TORCH_CHECK(grad_out.device() == indices.device(), "grad_out must be on ", indices.device(),
                " like indices, but is on ", grad_out.device());
    TORCH_CHECK(grad_out.dim() == indices.dim() + 1 &&
                    grad_out.sizes().slice(0, indices.dim()) == indices.sizes(),
                "grad_out must have the shape of indices and one dimension more, but has shape ",
                grad_out.sizes());
    const c10::cuda::CUDAGuard guard(indices.device());
    const at::Tensor grad = grad_out.contiguous();
    const at::Tensor flat = indices.contiguous().view({-1});
    const at::Tensor grad_weight = at::zeros({rows, grad_out.size(-1)}, grad_out.options());
    // --8<-- [start:choose]
    if (at::globalContext().deterministicAlgorithms()) {
        // Stable: equal indices keep the order of their positions, and that order is the order of the sum.
        const auto [sorted, order] = at::sort(flat, /*stable=*/true, /*dim=*/0, /*descending=*/false);
        add_segments(grad, sorted, order, grad_weight);
    } else {
        scatter(grad, flat, grad_weight);
    }
    // --8<-- [end:choose]
    return grad_weight;
}

}  // namespace

TORCH_LIBRARY(embedding_table, m) {
    m.def("embedding(Tensor indices, Tensor weight, bool check) -> Tensor");
    m.def("embedding_backward(Tensor grad_out, Tensor indices, int rows) -> Tensor");
}

TORCH_LIBRARY_IMPL(embedding_table, CUDA, m) {
    m.impl("embedding", &embedding);
    m.impl("embedding_backward", &embedding_backward);
}
