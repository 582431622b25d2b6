"""A simulated `cuda` device inside real PyTorch.

`libcusimt_device.so` (the C++ files here, one translation unit) registers an allocator, a device guard,
hooks and kernels for `DeviceType::CUDA`: `register.cpp` is where it enters PyTorch. The functions of
`torch._C` on which `torch.cuda` is built, and which CPU builds lack, are in `bindings`, over the C functions
in `driver`; `refusals`, `streams`, `storages`, `torch_compile` and `autograd_threads` add the rest.
`cusimt.activate` puts all of it in place. Importing this package imports no torch.
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
