"""A simulated `cuda` device inside real PyTorch.

`libcusimt_device.so` (the C++ files here, one translation unit) registers an allocator, a device guard,
hooks and kernels for `DeviceType::CUDA`. `torch._C` of a CPU build lacks the functions that
`torch.cuda` is written over; `bindings` supplies them, so that `torch.cuda` itself is PyTorch's
own. `cusimt.activate` puts the two together. Importing this package imports no torch.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
SOURCES: tuple[Path, ...] = (FOLDER / "libcusimt_device.cpp",)
"""What to compile, with PyTorch's headers behind `cusimt/include` on the include path."""

_INCLUDE = FOLDER.parent / "include"
PARTS: tuple[Path, ...] = tuple(
    sorted(
        [
            *FOLDER.glob("*.cpp"),
            *FOLDER.glob("*.h"),
            *_INCLUDE.glob("c10/**/*.h"),
            *_INCLUDE.glob("ATen/**/*.h"),
        ]
    )
)
"""Every file that the library is made of: what a cache key must cover."""
