"""Builds sliding_sum._C: with CUDA where there is CUDA, for the CPU alone elsewhere."""

from pathlib import Path

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

USE_CUDA = torch.cuda.is_available() and CUDA_HOME is not None
SOURCES = Path("csrc").glob("*.c*" if USE_CUDA else "*.cpp")

setup(
    ext_modules=[
        (CUDAExtension if USE_CUDA else CppExtension)(
            "sliding_sum._C",
            sorted(map(str, SOURCES)),
            extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O2", "--use_fast_math"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
