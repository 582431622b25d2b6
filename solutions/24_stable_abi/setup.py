"""Builds the library. Name, version and packages are in pyproject.toml."""

import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "7.5;8.0;9.0+PTX")

# --8<-- [start:flags]
FLAGS = [
    "-O2",
    "-DTORCH_TARGET_VERSION=0x020a000000000000",  # 2.10
    "-DUSE_CUDA",
]
# --8<-- [end:flags]

setup(
    ext_modules=[
        CUDAExtension(
            "fused_muladd._C",
            ["csrc/binding.cpp", "csrc/kernel.cu"],
            extra_compile_args={"cxx": FLAGS, "nvcc": ["-O3"]},
            # --8<-- [start:limited]
            py_limited_api=True,
            # --8<-- [end:limited]
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    # --8<-- [start:requirement]
    install_requires=["torch>=2.10"],
    # --8<-- [end:requirement]
    # --8<-- [start:tag]
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
    # --8<-- [end:tag]
)
