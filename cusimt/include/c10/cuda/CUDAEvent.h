// CUDA events as C++ objects. PyTorch's own header also knows graph capture and inter-process handles, which the
// simulated runtime does not have.
#pragma once

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <optional>
#include <utility>

namespace c10::cuda {

// Movable, not copyable. The event is created when it is first recorded, on the device of that stream.
struct CUDAEvent {
    CUDAEvent() noexcept = default;
    CUDAEvent(unsigned int flags) noexcept : flags_{flags} {}
    CUDAEvent(const CUDAEvent&) = delete;
    CUDAEvent& operator=(const CUDAEvent&) = delete;

    CUDAEvent(CUDAEvent&& other) noexcept { swap(other); }

    CUDAEvent& operator=(CUDAEvent&& other) noexcept {
        swap(other);
        return *this;
    }

    ~CUDAEvent() {
        if (isCreated()) {
            C10_CUDA_CHECK_WARN(cudaEventDestroy(event_));
        }
    }

    operator cudaEvent_t() const { return event(); }

    friend bool operator<(const CUDAEvent& left, const CUDAEvent& right) { return left.event_ < right.event_; }

    cudaEvent_t event() const { return event_; }

    bool isCreated() const { return event_ != nullptr; }

    DeviceIndex device_index() const { return device_index_; }

    std::optional<c10::Device> device() const {
        return isCreated() ? std::make_optional(c10::Device(c10::kCUDA, device_index_)) : std::nullopt;
    }

    void create(DeviceIndex device_index) {
        if (!isCreated()) {
            device_index_ = device_index;
            CUDAGuard guard(device_index_);
            C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
        }
    }

    void record() { record(getCurrentCUDAStream()); }

    void recordOnce(const CUDAStream& stream) {
        if (!was_recorded_) {
            record(stream);
        }
    }

    void record(const CUDAStream& stream) {
        create(stream.device_index());
        TORCH_CHECK(device_index_ == stream.device_index(), "Event device ", device_index_,
                    " does not match recording stream's device ", stream.device_index(), ".");
        CUDAGuard guard(device_index_);
        C10_CUDA_CHECK(cudaEventRecord(event_, stream));
        was_recorded_ = true;
    }

    void block(const CUDAStream& stream) {
        if (isCreated()) {
            CUDAGuard guard(stream.device_index());
            C10_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
        }
    }

    bool query() const {
        if (!isCreated()) {
            return true;
        }
        const cudaError_t status = C10_CUDA_ERROR_HANDLED(cudaEventQuery(event_));
        if (status == cudaErrorNotReady) {
            (void)cudaGetLastError();
            return false;
        }
        C10_CUDA_CHECK(status);
        return true;
    }

    void synchronize() const {
        if (isCreated()) {
            C10_CUDA_CHECK(cudaEventSynchronize(event_));
        }
    }

    // Milliseconds of simulated time from this event to `other`.
    float elapsed_time(const CUDAEvent& other) const {
        TORCH_CHECK_VALUE(!((flags_ | other.flags_) & cudaEventDisableTiming),
                          "Both events must be created with argument 'enable_timing=True'.");
        TORCH_CHECK_VALUE(isCreated() && other.isCreated(), "Both events must be recorded before calculating elapsed time.");
        float milliseconds = 0;
        C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, other.event_));
        return milliseconds;
    }

  private:
    void swap(CUDAEvent& other) noexcept {
        std::swap(flags_, other.flags_);
        std::swap(was_recorded_, other.was_recorded_);
        std::swap(device_index_, other.device_index_);
        std::swap(event_, other.event_);
    }

    unsigned int flags_ = cudaEventDisableTiming;
    bool was_recorded_ = false;
    DeviceIndex device_index_ = -1;
    cudaEvent_t event_ = nullptr;
};

}  // namespace c10::cuda
