import glob
import os

import torch
from packaging.version import Version
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

library_name = "fused_muladd"


def get_extensions():
    debug_mode = os.getenv("DEBUG", "0") == "1"
    use_cuda = os.getenv("USE_CUDA", "1") == "1"
    if debug_mode:
        print("Compiling in debug mode")
    if Version(torch.__version__) < Version("2.0"):
        raise RuntimeError("needs torch 2")
    extension = CUDAExtension if use_cuda else CppExtension
    extra_link_args = []
    extra_compile_args = {
        "cxx": ["-O3" if not debug_mode else "-O0", "-fdiagnostics-color=always"],
        "nvcc": ["-O3" if not debug_mode else "-O0"],
    }
    if debug_mode:
        extra_compile_args["cxx"].append("-g")
        extra_compile_args["nvcc"].append("-g")
        extra_link_args.extend(["-O0", "-g"])

    extensions_dir = os.path.join("csrc")
    sources = sorted(glob.glob(os.path.join(extensions_dir, "*.cpp")))
    cuda_sources = sorted(glob.glob(os.path.join(extensions_dir, "*.cu")))
    if use_cuda:
        sources += cuda_sources
    return [
        extension(
            f"{library_name}._C",
            sources,
            extra_compile_args=extra_compile_args,
            extra_link_args=extra_link_args,
        )
    ]


os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "7.5;8.0;9.0+PTX")
setup(
    packages=find_packages(include=[library_name]),
    ext_modules=get_extensions(),
    install_requires=[f"torch=={torch.__version__.split('+')[0]}"],
    cmdclass={"build_ext": BuildExtension},
)
