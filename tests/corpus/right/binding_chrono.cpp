// A stopwatch class with std::chrono, std::call_once, a mutex around a cache, thread_local state.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <random>
#include <torch/library.h>

namespace {

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::once_flag once;
std::mutex guard;
std::atomic<int> calls{0};
thread_local int depth = 0;

at::Tensor timed(const at::Tensor& x) {
    const Stopwatch watch;
    std::call_once(once, [] { calls = 0; });
    const std::lock_guard<std::mutex> lock(guard);
    ++depth;
    std::mt19937 generator(0);
    std::normal_distribution<float> normal;
    try {
        if (calls++ < 0) throw std::domain_error("negative");
    } catch (const std::exception& error) {
        TORCH_WARN(error.what());
    }
    TORCH_CHECK(std::isfinite(normal(generator)) && watch.seconds() >= 0.0);
    return at::empty_like(x);
}

}  // namespace

TORCH_LIBRARY(mine, m) { m.def("timed(Tensor x) -> Tensor", &timed); }
