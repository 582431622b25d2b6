"""What nvcc says about itself, in the form in which torch's cpp_extension and CMake look for it."""

from __future__ import annotations

import os
from pathlib import Path

from cusimt.gpu_models import CUDA_VERSION

TOOLKIT_VARIABLE = "CUSIMT_TOOLKIT"  # set by the toolkit's bin/nvcc to its own folder
_DEFAULT_ARCHITECTURE = "-arch compute_90"  # CMake takes it for what nvcc compiles for when told nothing


def version() -> str:
    """The text of `nvcc --version`: others search it for "release X.Y, VX.Y.Z"."""
    return (
        "nvcc: NVIDIA (R) Cuda compiler driver\n"
        "(the simulated toolkit of cusimt: kernels are compiled for the CPU)\n"
        f"Cuda compilation tools, release {CUDA_VERSION}, V{CUDA_VERSION}.0\n"
        f"Build cuda_{CUDA_VERSION}.r{CUDA_VERSION}/cusimt"
    )


def libraries() -> str:
    """The library folders, worded exactly as in `facts`: CMake knows the link command by them."""
    return f'"-L{_home()}/lib64"'


def facts() -> list[str]:
    """The variables that `nvcc -v` lists first, those that CMake reads."""
    return [
        f"#$ TOP={_home()}",
        f"#$ NVVMIR_LIBRARY_DIR={_home()}/nvvm/libdevice",
        f"#$ PATH={os.environ.get('PATH', '')}",
        f'#$ INCLUDES="-I{_home()}/include"',
        f"#$ LIBRARIES={libraries()}",
        f"#$ cicc {_DEFAULT_ARCHITECTURE}",
    ]


def _home() -> Path:
    return Path(os.environ.get(TOOLKIT_VARIABLE, "/"))
