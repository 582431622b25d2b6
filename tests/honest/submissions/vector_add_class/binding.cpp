#include <cstdint>
#include <cuda_runtime.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

cudaError_t launch_vector_add(const float* d_a, const float* d_b, float* d_out, int64_t n);

#define CUDA_TRY(call)                                                                     \
    do {                                                                                   \
        const cudaError_t status_ = (call);                                                \
        if (status_ != cudaSuccess)                                                        \
            throw std::runtime_error(std::string(#call " failed: ") + cudaGetErrorString(status_)); \
    } while (false)

namespace {

class DeviceVector {
 public:
    explicit DeviceVector(size_t n) : n_(n) {
        if (n_ > 0) CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&data_), n_ * sizeof(float)));
    }
    DeviceVector(const DeviceVector&) = delete;
    DeviceVector& operator=(const DeviceVector&) = delete;
    DeviceVector(DeviceVector&& other) noexcept : data_(std::exchange(other.data_, nullptr)), n_(other.n_) {}
    ~DeviceVector() { (void)cudaFree(data_); }
    float* data() const { return data_; }
    size_t bytes() const { return n_ * sizeof(float); }

 private:
    float* data_ = nullptr;
    size_t n_;
};

class Stream {
 public:
    Stream() { CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { (void)cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

 private:
    cudaStream_t stream_ = nullptr;
};

void vector_add(pybind11::array a, pybind11::array b, pybind11::array out) {
    const std::vector<std::pair<const char*, const pybind11::array*>> arguments{{"a", &a}, {"b", &b}, {"out", &out}};
    for (const auto& [name, array] : arguments) {
        if (array->dtype().kind() != 'f' || array->itemsize() != 4) {
            throw pybind11::type_error(std::string(name) + " must be float32");
        }
        if (array->ndim() != 1) throw pybind11::value_error(std::string(name) + " must have 1 dimension");
        if (array->size() != a.size()) throw pybind11::value_error(std::string(name) + " must have as many elements as a");
    }
    if (!(out.flags() & pybind11::array::c_style)) throw pybind11::value_error("out must be contiguous");
    const auto n = static_cast<size_t>(a.size());
    auto dense_a = pybind11::array_t<float, pybind11::array::c_style>::ensure(a);
    auto dense_b = pybind11::array_t<float, pybind11::array::c_style>::ensure(b);
    DeviceVector d_a(n), d_b(n), d_out(n);
    Stream copies;
    if (n > 0) {
        CUDA_TRY(cudaMemcpyAsync(d_a.data(), dense_a.data(), d_a.bytes(), cudaMemcpyHostToDevice, copies));
        CUDA_TRY(cudaMemcpyAsync(d_b.data(), dense_b.data(), d_b.bytes(), cudaMemcpyHostToDevice, copies));
        CUDA_TRY(cudaStreamSynchronize(copies));
        CUDA_TRY(launch_vector_add(d_a.data(), d_b.data(), d_out.data(), static_cast<int64_t>(n)));
        CUDA_TRY(cudaDeviceSynchronize());
        CUDA_TRY(cudaMemcpyAsync(out.mutable_data(), d_out.data(), d_out.bytes(), cudaMemcpyDeviceToHost, copies));
        CUDA_TRY(cudaStreamSynchronize(copies));
    }
}

}  // namespace

PYBIND11_MODULE(vector_add, m) {
    m.def("vector_add", &vector_add, pybind11::arg("a").noconvert(), pybind11::arg("b").noconvert(),
          pybind11::arg("out").noconvert(), "out = a + b");
}
