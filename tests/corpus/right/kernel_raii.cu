// Device memory and streams behind std::unique_ptr with deleters, errors as exceptions.
#include <cuda_runtime.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error));
}

struct Free {
    void operator()(void* p) const noexcept { cudaFree(p); }
};

template <typename T>
std::unique_ptr<T[], Free> allocate(std::size_t n) {
    void* raw = nullptr;
    check(cudaMalloc(&raw, n * sizeof(T)), "cudaMalloc");
    return std::unique_ptr<T[], Free>(static_cast<T*>(raw));
}

class Stream {
public:
    Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream(const Stream&) = delete;
    ~Stream() { if (stream_) cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

__global__ void twice(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

}  // namespace

std::vector<float> doubled(const std::vector<float>& x) {
    const int n = static_cast<int>(x.size());
    const Stream stream;
    auto in = allocate<float>(n), out = allocate<float>(n);
    check(cudaMemcpyAsync(in.get(), x.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream), "copy");
    twice<<<(n + 255) / 256, 256, 0, stream>>>(in.get(), out.get(), n);
    std::vector<float> y(n);
    check(cudaMemcpyAsync(y.data(), out.get(), n * sizeof(float), cudaMemcpyDeviceToHost, stream), "copy back");
    check(cudaStreamSynchronize(stream), "synchronize");
    return y;
}
