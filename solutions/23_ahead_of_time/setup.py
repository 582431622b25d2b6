"""Builds the extension module. Name, version and packages are in pyproject.toml."""

import os

import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

# --8<-- [start:architectures]
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "7.5;8.0;9.0+PTX")
# --8<-- [end:architectures]

setup(
    # --8<-- [start:extension]
    ext_modules=[
        CUDAExtension(
            "fused_muladd._C",
            ["csrc/binding.cpp", "csrc/kernel.cu"],
            extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O3"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    # --8<-- [end:extension]
    # --8<-- [start:pin]
    install_requires=[f"torch=={torch.__version__.partition('+')[0]}"],
    # --8<-- [end:pin]
)
