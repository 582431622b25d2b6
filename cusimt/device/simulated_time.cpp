// A bandwidth model of library operators and copies.
#include "simulated_time.h"

#include "../include/simt_api.h"

namespace cusimt::device {
namespace {

// As in the runtime's model of launches and of cudaMemcpy.
constexpr double kLaunch = 2.0;                 // microseconds
constexpr double kCopy = 1.0;                   // microseconds before the first byte
constexpr double kBytesPerMicrosecond = 2.4e6;  // device memory
constexpr double kBusBytesPerMicrosecond = 5.0e4;

}  // namespace

void pass_kernel_time(c10::DeviceIndex device, size_t bytes) {
    simt_stream_work(simt_current_stream(device), kLaunch + static_cast<double>(bytes) / kBytesPerMicrosecond);
}

void pass_copy_time(c10::DeviceIndex device, size_t bytes, bool within_device) {
    const double bandwidth = within_device ? kBytesPerMicrosecond : kBusBytesPerMicrosecond;
    simt_stream_work(simt_current_stream(device), kCopy + static_cast<double>(bytes) / bandwidth);
}

}  // namespace cusimt::device
