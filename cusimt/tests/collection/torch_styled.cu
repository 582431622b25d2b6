// Kernels as extensions of PyTorch have them: accessors, dispatch macros, accumulation types, the current stream.
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/TensorAccessor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <tuple>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

using at::Tensor;

// ---- a recurrent cell's gates, through packed accessors -----------------------------------------------------------------------
template <typename scalar_t>
__device__ __forceinline__ scalar_t sigmoid(scalar_t z) {
  return 1.0 / (1.0 + exp(-z));
}

template <typename scalar_t>
__global__ void cell_forward_kernel(const at::PackedTensorAccessor32<scalar_t, 3, at::RestrictPtrTraits> gates,
                                    const at::PackedTensorAccessor32<scalar_t, 2, at::RestrictPtrTraits> old_cell,
                                    at::PackedTensorAccessor32<scalar_t, 2, at::RestrictPtrTraits> new_h,
                                    at::PackedTensorAccessor32<scalar_t, 2, at::RestrictPtrTraits> new_cell) {
  const int n = blockIdx.y;                                // batch index
  const int c = blockIdx.x * blockDim.x + threadIdx.x;     // column index
  if (c < gates.size(2)) {
    const auto candidate = tanh(gates[n][2][c]);
    new_cell[n][c] = old_cell[n][c] + candidate * sigmoid(gates[n][0][c]);
    new_h[n][c] = tanh(new_cell[n][c]) * sigmoid(gates[n][1][c]);
  }
}

std::tuple<Tensor, Tensor> cell_forward(const Tensor& gates, const Tensor& old_cell) {
  CHECK_CUDA(gates); CHECK_CUDA(old_cell);
  TORCH_CHECK(gates.dim() == 3 && gates.size(1) == 3, "gates must be (batch, 3, state)");
  const c10::cuda::CUDAGuard device_guard(gates.device());
  auto new_h = at::empty_like(old_cell), new_cell = at::empty_like(old_cell);
  const int threads = 64;
  const dim3 blocks((old_cell.size(1) + threads - 1) / threads, old_cell.size(0));
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "cell_forward", ([&] {
    cell_forward_kernel<scalar_t><<<blocks, threads>>>(
        gates.packed_accessor32<scalar_t, 3, at::RestrictPtrTraits>(),
        old_cell.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(),
        new_h.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(),
        new_cell.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>());
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {new_h, new_cell};
}

// ---- softmax over the last dimension, accumulated in a wider type --------------------------------------------------------------------
template <typename acc_t>
__device__ acc_t reduce_sum(acc_t value, acc_t* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
  }
  value = shared[0];
  __syncthreads();
  return value;
}

template <typename scalar_t, typename acc_t, bool is_log>
__global__ void softmax_kernel(scalar_t* output, const scalar_t* input, int64_t dim) {
  extern __shared__ unsigned char smem[];
  auto sdata = reinterpret_cast<acc_t*>(smem);
  input += static_cast<int64_t>(blockIdx.x) * dim;
  output += static_cast<int64_t>(blockIdx.x) * dim;
  acc_t largest = -std::numeric_limits<acc_t>::max();
  for (int64_t i = threadIdx.x; i < dim; i += blockDim.x) largest = std::max(largest, static_cast<acc_t>(input[i]));
  sdata[threadIdx.x] = largest;
  __syncthreads();
  for (int t = 0; t < blockDim.x; ++t) largest = std::max(largest, sdata[t]);
  __syncthreads();
  acc_t sum = 0;
  for (int64_t i = threadIdx.x; i < dim; i += blockDim.x) sum += std::exp(static_cast<acc_t>(input[i]) - largest);
  sum = reduce_sum(sum, sdata);
  for (int64_t i = threadIdx.x; i < dim; i += blockDim.x) {
    const acc_t shifted = static_cast<acc_t>(input[i]) - largest;
    output[i] = static_cast<scalar_t>(is_log ? shifted - std::log(sum) : std::exp(shifted) / sum);
  }
}

Tensor softmax(const Tensor& input, bool is_log) {
  CHECK_INPUT(input);
  auto output = at::empty_like(input);
  const int64_t dim = input.size(-1), rows = input.numel() / dim;
  const int threads = 32;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, input.scalar_type(), "softmax", [&] {
    using acc_t = at::acc_type<scalar_t, true>;
    const auto launch = [&](auto log_tag) {
      softmax_kernel<scalar_t, acc_t, decltype(log_tag)::value>
          <<<rows, threads, threads * sizeof(acc_t), stream>>>(output.data_ptr<scalar_t>(), input.const_data_ptr<scalar_t>(), dim);
    };
    if (is_log) launch(std::true_type{}); else launch(std::false_type{});
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return output;
}

// ---- rows gathered by an index of either width ------------------------------------------------------------------------------------------
template <typename scalar_t, typename index_t>
__global__ void gather_rows_kernel(const scalar_t* __restrict__ table, const index_t* __restrict__ index, scalar_t* __restrict__ out, int64_t n, int64_t width) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n * width; i += (int64_t)gridDim.x * blockDim.x)
    out[i] = table[index[i / width] * width + i % width];
}

Tensor gather_rows(const Tensor& table, const Tensor& index) {
  CHECK_INPUT(table); CHECK_INPUT(index);
  auto out = at::empty({index.numel(), table.size(1)}, table.options());
  AT_DISPATCH_INDEX_TYPES(index.scalar_type(), "gather_rows_index", [&] {
    AT_DISPATCH_ALL_TYPES_AND(at::kHalf, table.scalar_type(), "gather_rows", [&] {
      gather_rows_kernel<<<2, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
          table.const_data_ptr<scalar_t>(), index.const_data_ptr<index_t>(), out.mutable_data_ptr<scalar_t>(), index.numel(), table.size(1));
      AT_CUDA_CHECK(cudaGetLastError());
    });
  });
  return out;
}

// ---- sums of segments, with atomics ---------------------------------------------------------------------------------------------------------
__global__ void segment_sum_kernel(const float* values, const int64_t* segment, float* sums, int64_t n, int64_t segments) {
  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  CUDA_KERNEL_ASSERT(segment[i] >= 0 && segment[i] < segments);
  atomicAdd(sums + segment[i], values[i]);
}

Tensor segment_sum(const Tensor& values, const Tensor& segment, int64_t segments) {
  CHECK_INPUT(values); CHECK_INPUT(segment);
  auto sums = at::zeros({segments}, values.options());
  const auto n = values.numel();
  if (n == 0) return sums;
  segment_sum_kernel<<<(n + 63) / 64, 64, 0, c10::cuda::getCurrentCUDAStream().stream()>>>(
      values.const_data_ptr<float>(), segment.const_data_ptr<int64_t>(), sums.mutable_data_ptr<float>(), n, segments);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sums;
}

TORCH_LIBRARY(collection, m) {
  m.def("cell_forward(Tensor gates, Tensor old_cell) -> (Tensor, Tensor)");
  m.def("softmax(Tensor input, bool is_log) -> Tensor");
  m.def("gather_rows(Tensor table, Tensor index) -> Tensor");
  m.def("segment_sum(Tensor values, Tensor segment, int segments) -> Tensor");
}
TORCH_LIBRARY_IMPL(collection, CUDA, m) {
  m.impl("cell_forward", &cell_forward);
  m.impl("softmax", &softmax);
  m.impl("gather_rows", TORCH_FN(gather_rows));
  m.impl("segment_sum", &segment_sum);
}
