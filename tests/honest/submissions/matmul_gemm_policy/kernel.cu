#include <cuda_runtime.h>

#include <cstdint>

namespace gemm {

template <int M_, int N_, int K_>
struct GemmShape {
    static constexpr int kM = M_;
    static constexpr int kN = N_;
    static constexpr int kK = K_;
    static constexpr int kMN = M_ * N_;
};

struct RowMajor {
    int64_t ld;
    __host__ __device__ static RowMajor packed(int64_t columns) { return {columns}; }
    __host__ __device__ int64_t operator()(int64_t row, int64_t column) const { return row * ld + column; }
};

template <typename Element, typename Layout>
struct TensorRef {
    Element* data;
    Layout layout;
    __device__ Element& at(int64_t row, int64_t column) const { return data[layout(row, column)]; }
};

template <typename ElementA, typename ElementB, typename ElementC, typename Shape>
struct DefaultPolicy {
    using ThreadblockShape = Shape;
    using Accumulator = ElementC;
    static constexpr int kMinBlocksPerSm = 1;
};

template <typename Policy, typename Element>
struct Gemm {
    using Shape = typename Policy::ThreadblockShape;
    struct Params {
        int64_t m, n, k;
        TensorRef<const Element, RowMajor> a, b;
        TensorRef<Element, RowMajor> c;
    };

    static dim3 block() { return dim3(Shape::kN, Shape::kM, 1); }
    static dim3 grid(const Params& p) {
        return dim3(unsigned((p.n + Shape::kN - 1) / Shape::kN), unsigned((p.m + Shape::kM - 1) / Shape::kM), 1);
    }

    __device__ void operator()(const Params& p) const {
        const int64_t column = int64_t(blockIdx.x) * Shape::kN + threadIdx.x;
        const int64_t row = int64_t(blockIdx.y) * Shape::kM + threadIdx.y;
        if (row >= p.m || column >= p.n) return;
        typename Policy::Accumulator accumulator{};
#pragma unroll Shape::kK
        for (int64_t k = 0; k < p.k; ++k) accumulator = fma(p.a.at(row, k), p.b.at(k, column), accumulator);
        p.c.at(row, column) = accumulator;
    }
};

template <typename Operator>
__global__ void __launch_bounds__(Operator::Shape::kMN) kernel(typename Operator::Params params) {
    Operator op;
    op(params);
}

template <typename Operator>
void run(const typename Operator::Params& params, cudaStream_t stream) {
    if (params.m == 0 || params.n == 0) return;
    kernel<Operator><<<Operator::grid(params), Operator::block(), 0, stream>>>(params);
}

}  // namespace gemm

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, cudaStream_t stream) {
    using Policy = gemm::DefaultPolicy<T, T, T, gemm::GemmShape<8, 32, 4>>;
    using gemm::RowMajor;
    gemm::run<gemm::Gemm<Policy, T>>({m, n, k, {a, RowMajor::packed(k)}, {b, RowMajor::packed(n)}, {out, RowMajor::packed(n)}}, stream);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t, int64_t, cudaStream_t);
