"""Builds the library. Name, version and packages are in pyproject.toml."""

import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "7.5;8.0;9.0+PTX")

# TODO(flags): optimise; state torch 2.10 as the oldest release; and have shim.h declare its
#   functions for CUDA, about 5 lines.
FLAGS = ["-O2"]

setup(
    ext_modules=[
        CUDAExtension(
            "fused_muladd._C",
            ["csrc/binding.cpp", "csrc/kernel.cu"],
            extra_compile_args={"cxx": FLAGS, "nvcc": ["-O3"]},
            # TODO(limited): name the library for any CPython, without torch's Python part, about 1 line.
            py_limited_api=False,
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    # TODO(requirement): require the oldest release of torch that the wheel is for, and no newest one,
    #   about 1 line.
    install_requires=["torch"],
    # TODO(tag): tag the wheel for CPython 3.10 and later, about 1 line.
    options={},
)
