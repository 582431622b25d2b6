"""Builds the extension module. Name, version and packages are in pyproject.toml."""

import os
from glob import glob

import torch
from packaging.version import Version
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "7.5;8.0;9.0+PTX")

setup(
    ext_modules=[CUDAExtension("fused_muladd._C", sorted(glob("csrc/*.cpp") + glob("csrc/*.cu")), extra_compile_args=["-O3"])],
    cmdclass={"build_ext": BuildExtension},
    install_requires=[f'torch=={Version(torch.__version__).base_version}'],
)
