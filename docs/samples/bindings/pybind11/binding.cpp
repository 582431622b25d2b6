// A Python module for NumPy arrays. Device memory, copies and errors are this file's business.
#include <cuda_runtime.h>
#include <pybind11/numpy.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;
using Array = py::array_t<float, py::array::c_style>;

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream);

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Floats on the device. The destructor frees them also when an exception leaves axpy().
class DeviceArray {
  public:
    explicit DeviceArray(size_t n) : bytes_(n * sizeof(float)) {
        check(cudaMalloc(&data_, bytes_));
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    void copy_from(const float* host) {
        check(cudaMemcpy(data_, host, bytes_, cudaMemcpyHostToDevice));
    }
    void copy_to(float* host) const {
        check(cudaMemcpy(host, data_, bytes_, cudaMemcpyDeviceToHost));
    }
    float* data() const { return static_cast<float*>(data_); }

  private:
    size_t bytes_;
    void* data_ = nullptr;
};

std::vector<py::ssize_t> shape_of(const Array& array) {
    return {array.shape(), array.shape() + array.ndim()};
}

Array axpy(float alpha, const Array& x, const Array& y) {
    if (shape_of(x) != shape_of(y)) throw py::value_error("y must have the shape of x");
    Array out(shape_of(x));
    DeviceArray device_x(x.size()), device_y(x.size()), device_out(x.size());
    device_x.copy_from(x.data());
    device_y.copy_from(y.data());
    launch_axpy(alpha, device_x.data(), device_y.data(), device_out.data(), x.size(), nullptr);
    check(cudaGetLastError());
    device_out.copy_to(out.mutable_data());  // waits for the kernel, and returns its errors
    return out;
}

PYBIND11_MODULE(axpy, m) {
    // noconvert: refuse another dtype or layout, which pybind11 would copy and convert silently.
    m.def("axpy", &axpy, "alpha * x + y", py::arg("alpha"), py::arg("x").noconvert(),
          py::arg("y").noconvert());
}
