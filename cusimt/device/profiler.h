// Registers the simulated device with torch.autograd.profiler.
#pragma once

namespace cusimt::device {

// torch.profiler with CUDA activity times operators with events of the simulated clock.
void register_profiler();

}  // namespace cusimt::device
