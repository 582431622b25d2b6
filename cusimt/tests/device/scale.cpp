// An operator as PyTorch's tutorials write it: checks, device guard, current stream, launch check, TORCH_LIBRARY.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Exceptions.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <string>

template <typename T>
void launch_scale(const T* x, T* y, double factor, long n, cudaStream_t stream);

void launch_poke(float* x, long offset, cudaStream_t stream);

// Writes one element, wherever that is, and leaves the error, if there is one, to the next call.
void poke(const at::Tensor& x, int64_t offset) {
    const c10::cuda::CUDAGuard guard(x.device());
    launch_poke(x.mutable_data_ptr<float>(), offset, at::cuda::getCurrentCUDAStream());
}

at::Tensor scale(const at::Tensor& x, double factor) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
    const at::cuda::OptionalCUDAGuard guard(at::device_of(x));
    auto y = at::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {
        launch_scale(x.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), factor, x.numel(),
                     at::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

// The work goes to a stream of the pool, and the caller's stream waits for it.
at::Tensor scale_aside(const at::Tensor& x, double factor) {
    const c10::cuda::CUDAGuard device(x.device());
    const auto caller = c10::cuda::getCurrentCUDAStream();
    const auto side = c10::cuda::getStreamFromPool();
    at::cuda::CUDAEvent ready, done;
    ready.record(caller);
    ready.block(side);
    at::Tensor y;
    {
        const c10::cuda::CUDAStreamGuard guard(side);
        TORCH_CHECK(c10::cuda::getCurrentCUDAStream() == side);
        y = scale(x, factor);
        done.record(side);
    }
    TORCH_CHECK(c10::cuda::getCurrentCUDAStream() == caller);
    done.block(caller);
    c10::cuda::CUDACachingAllocator::recordStream(y.storage().data_ptr(), caller);
    return y;
}

// What C++ code sees of the device: one number each.
int64_t fact(const std::string& name, int64_t argument) {
    if (name == "device_count") return c10::cuda::device_count();
    if (name == "current_device") return c10::cuda::current_device();
    if (name == "warp_size") return at::cuda::warp_size();
    if (name == "multiprocessors") return at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
    if (name == "major") return at::cuda::getDeviceProperties(argument)->major;
    if (name == "current_stream") return c10::cuda::getCurrentCUDAStream(argument).id();
    if (name == "default_stream") return c10::cuda::getDefaultCUDAStream(argument).id();
    if (name == "exchange") return c10::cuda::ExchangeDevice(argument);
    TORCH_CHECK(false, "no fact called ", name);
}

int64_t raw_allocation(int64_t bytes) {
    void* memory = c10::cuda::CUDACachingAllocator::raw_alloc(bytes);
    size_t whole = 0;
    TORCH_CHECK(c10::cuda::CUDACachingAllocator::getBaseAllocation(memory, &whole) == memory);
    c10::cuda::CUDACachingAllocator::raw_delete(memory);
    c10::cuda::CUDACachingAllocator::emptyCache();
    return whole;
}

void fail_with(int64_t code) {
    AT_CUDA_CHECK(static_cast<cudaError_t>(code));
}

void ask_for_cusolver() {
    at::cuda::getCurrentCUDASolverDnHandle();
}

// a @ b for contiguous matrices: cuBLAS reads rows as columns, so it is asked for the transposed product.
at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor c = at::empty({a.size(0), b.size(1)}, a.options());
    const int m = static_cast<int>(c.size(1)), n = static_cast<int>(c.size(0)), k = static_cast<int>(a.size(1));
    const float one = 1, zero = 0;
    TORCH_CHECK(cublasSgemm(at::cuda::getCurrentCUDABlasHandle(), CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, b.data_ptr<float>(),
                            m, a.data_ptr<float>(), k, &zero, c.data_ptr<float>(), m) == CUBLAS_STATUS_SUCCESS);
    return c;
}

// A @ b for a CSR matrix A of floats with 64-bit indices, with a workspace from PyTorch's allocator. `short_of`: so many bytes
// fewer than cuSPARSE asks for.
at::Tensor sparse_product(const at::Tensor& offsets, const at::Tensor& columns, const at::Tensor& values, const at::Tensor& b,
                          int64_t short_of) {
    const c10::cuda::CUDAGuard guard(b.device());
    const int64_t rows = offsets.size(0) - 1;
    at::Tensor c = at::empty({rows, b.size(1)}, b.options());
    cusparseHandle_t handle = at::cuda::getCurrentCUDASparseHandle();
    cusparseSpMatDescr_t sparse;
    cusparseDnMatDescr_t dense, result;
    TORCH_CUDASPARSE_CHECK(cusparseCreateCsr(&sparse, rows, b.size(0), values.size(0), offsets.data_ptr(), columns.data_ptr(),
                                             values.data_ptr(), CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    TORCH_CUDASPARSE_CHECK(cusparseCreateDnMat(&dense, b.size(0), b.size(1), b.stride(0), b.data_ptr(), CUDA_R_32F,
                                               CUSPARSE_ORDER_ROW));
    TORCH_CUDASPARSE_CHECK(cusparseCreateDnMat(&result, rows, c.size(1), c.stride(0), c.data_ptr(), CUDA_R_32F,
                                               CUSPARSE_ORDER_ROW));
    const float one = 1, zero = 0;
    const auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    TORCH_CUDASPARSE_CHECK(cusparseSpMM_bufferSize(handle, op, op, &one, sparse, dense, &zero, result, CUDA_R_32F,
                                                   CUSPARSE_SPMM_CSR_ALG2, &bytes));
    auto workspace = c10::cuda::CUDACachingAllocator::get()->allocate(bytes - static_cast<size_t>(short_of));
    TORCH_CUDASPARSE_CHECK(cusparseSpMM(handle, op, op, &one, sparse, dense, &zero, result, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2,
                                        workspace.get()));
    cusparseDestroyDnMat(result);
    cusparseDestroyDnMat(dense);
    cusparseDestroySpMat(sparse);
    return c;
}

TORCH_LIBRARY(simt_tests, m) {
    m.def("sparse_product(Tensor offsets, Tensor columns, Tensor values, Tensor b, int short_of=0) -> Tensor", &sparse_product);
    m.def("scale(Tensor x, float factor) -> Tensor");
    m.def("scale_aside(Tensor x, float factor) -> Tensor");
    m.def("poke(Tensor x, int offset) -> ()", &poke);
    m.def("only_for_cpu(Tensor x) -> Tensor");
    m.def("fact(str name, int argument=0) -> int", &fact);
    m.def("raw_allocation(int bytes) -> int", &raw_allocation);
    m.def("fail_with(int code) -> ()", &fail_with);
    m.def("ask_for_cusolver() -> ()", &ask_for_cusolver);
    m.def("product(Tensor a, Tensor b) -> Tensor", &product);
}

TORCH_LIBRARY_IMPL(simt_tests, CUDA, m) {
    m.impl("scale", &scale);
    m.impl("scale_aside", &scale_aside);
}

TORCH_LIBRARY_IMPL(simt_tests, CPU, m) {
    m.impl("only_for_cpu", [](const at::Tensor& x) { return x.clone(); });
}
