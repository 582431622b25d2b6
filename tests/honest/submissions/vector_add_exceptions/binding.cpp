#include <cstdint>
#include <cuda_runtime.h>
#include <memory>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device_buffer.h"

namespace py = pybind11;
using namespace std::string_literals;

cudaError_t launch_vector_add(const float* d_a, const float* d_b, float* d_out, int64_t n);

namespace va {

class Error : public std::exception {
public:
    explicit Error(std::string message) : message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }

private:
    std::string message_;
};

class CudaError final : public Error {
public:
    CudaError(cudaError_t code, std::string_view where) : Error(format(code, where)), code_(code) {}
    [[nodiscard]] cudaError_t code() const noexcept { return code_; }

private:
    static std::string format(cudaError_t code, std::string_view where) {
        std::ostringstream out;
        out << where << " failed with " << cudaGetErrorName(code) << " (" << static_cast<int>(code)
            << "): " << cudaGetErrorString(code);
        return out.str();
    }
    cudaError_t code_;
};

inline void check(cudaError_t code, std::string_view where) {
    if (code != cudaSuccess) throw CudaError(code, where);
}

class Stream {
public:
    Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }
    void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

private:
    cudaStream_t stream_ = nullptr;
};

using Vector = py::array_t<float, py::array::c_style>;

template <typename... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    throw py::value_error(out.str());
}

void require(const py::array& array, std::string_view name, std::optional<py::ssize_t> size = std::nullopt) {
    if (!py::isinstance<py::array_t<float>>(array)) {
        throw py::type_error(std::string{name} + " must be float32, but is "s + py::str(array.dtype()).cast<std::string>());
    }
    const py::buffer_info info = array.request();
    if (info.ndim != 1) refuse(name, " must have 1 dimension, but has ", info.ndim);
    if (size && info.size != *size) refuse(name, " must have ", *size, " elements, but has ", info.size);
}

void add(const py::array& a, const py::array& b, py::array out) {
    require(a, "a");
    require(b, "b", a.size());
    require(out, "out", a.size());
    if ((out.flags() & py::array::c_style) == 0) refuse("out must be contiguous");
    if (!out.writeable()) refuse("out must be writeable");
    const auto n = static_cast<int64_t>(a.size());
    const Vector dense_a = Vector::ensure(a), dense_b = Vector::ensure(b);
    const DeviceBuffer<float> d_a(n), d_b(n), d_out(n);
    check(cudaMemcpy(d_a.get(), dense_a.data(), d_a.bytes(), cudaMemcpyDefault), "copy of a");
    check(cudaMemcpy(d_b.get(), dense_b.data(), d_b.bytes(), cudaMemcpyDefault), "copy of b");
    check(launch_vector_add(d_a.get(), d_b.get(), d_out.get(), n), "launch");
    check(cudaMemcpy(out.mutable_data(), d_out.get(), d_out.bytes(), cudaMemcpyDefault), "copy of out");
}

}  // namespace va

PYBIND11_MODULE(vector_add, m) {
    m.doc() = R"doc(
        Vector addition on the device.
    )doc";
    py::register_exception<va::CudaError>(m, "CudaError", PyExc_RuntimeError);
    using namespace pybind11::literals;
    m.def("vector_add", &va::add, "a"_a, "b"_a, py::arg("out").none(false), "out = a + b",
          py::call_guard<>());
}
