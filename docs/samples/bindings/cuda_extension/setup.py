from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="axpy",
    version="0.1.0",
    packages=["axpy"],
    ext_modules=[CUDAExtension("axpy._C", ["csrc/axpy.cu", "csrc/binding.cpp"])],
    cmdclass={"build_ext": BuildExtension},
)
