"""`torch.cuda._compile_kernel`, which compiles a kernel with NVRTC and launches it with the driver's API.

PyTorch opens both libraries by their names. Here the runtime stands for them.
"""

from __future__ import annotations

import ctypes
from types import ModuleType


def install(torch: ModuleType, runtime: str) -> None:
    """Let PyTorch find the simulated NVRTC and driver in the library `runtime`."""
    library = ctypes.CDLL(runtime)  # with types of arguments of its own, which PyTorch sets
    torch.cuda._utils._get_cuda_library = lambda: library
    torch.cuda._utils._get_nvrtc_library = lambda: library
