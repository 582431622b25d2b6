"""Triton's kernels on the simulated device, by Triton's own interpreter and without a GPU.

    import cusimt.activate
    cusimt.activate.activate()               # the simulated `cuda` device in torch
    import triton                            # its kernels now run on that device

The interpreter runs one program after another in Python, with numpy. By itself it copies CUDA tensors to the
host and back; here its loads, stores and atomics go to the simulated device's memory, where each element is
checked as an access of a CUDA kernel is (`runtime/programs.h`): overruns, uninitialised values, races between
programs, host pointers; sectors are counted, and it is known which kernel wrote a byte.

In data-flow order: `version` says whether Triton is there, `arguments` what a launch may hand to a kernel,
`memory` makes the accesses of a grid, `grid` runs its programs, `failures` remembers those that raised,
`tuning` tries configurations, `operators` registers what `torch.library.triton_op` registers.
"""

from cusimt.triton.activate import activate, watch
from cusimt.triton.version import SUPPORTED, lacking, require

__all__ = ["SUPPORTED", "activate", "lacking", "require", "watch"]
