#pragma once

namespace cu2grad::device {

// torch.profiler with CUDA activity times operators with events of the simulated clock.
void register_profiler();

}  // namespace cu2grad::device
