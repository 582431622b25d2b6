// The fallback for operators without a kernel on the simulated device: their CPU kernel runs on host views.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace cusimt::device {

// Runs the CPU kernel of `op` on host views of its device arguments (boxed, as the dispatcher calls it).
void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// Raises the sticky error of an earlier kernel, as every CUDA call does after one.
void check_device_is_usable();
// Raises if the device's current stream is under capture: operators run at once, and do not become nodes of a graph.
void refuse_capture(const char* name, c10::DeviceIndex device);

}  // namespace cusimt::device
