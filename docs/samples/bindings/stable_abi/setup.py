from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

FLAGS = [
    "-DTORCH_TARGET_VERSION=0x020a000000000000",  # 2.10, the oldest torch that the wheel supports
    "-DUSE_CUDA",  # without it, shim.h does not declare the functions for CUDA
]

setup(
    name="axpy",
    version="0.1.0",
    packages=["axpy"],
    python_requires=">=3.10",
    install_requires=["torch>=2.10"],
    ext_modules=[
        CUDAExtension(
            "axpy._C",
            ["csrc/axpy.cu", "csrc/binding.cpp"],
            extra_compile_args={"cxx": FLAGS, "nvcc": FLAGS},
            py_limited_api=True,  # names the library _C.abi3.so, and leaves torch_python out
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
