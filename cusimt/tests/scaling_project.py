"""A small extension in a folder of its own, and programs that use it, on the simulated GPU or without it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from cusimt.tests.quick_builds import QUICK_BUILDS

KERNEL = """\
#include <cuda_runtime.h>
#include "factor.cuh"

__global__ void scale_kernel(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = FACTOR * x[i];
}

void launch_scale(const float* x, float* y, int n, cudaStream_t stream) {
    scale_kernel<<<(n + 31) / 32, 32, 0, stream>>>(x, y, n);
}
"""
BINDING = """\
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

void launch_scale(const float* x, float* y, int n, cudaStream_t stream);

at::Tensor scale(const at::Tensor& x) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    at::Tensor y = at::empty_like(x);
    launch_scale(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel(),
                 c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

TORCH_LIBRARY(scaling, m) { m.def("scale(Tensor x) -> Tensor", &scale); }
"""

# Of the same kernel, for what a binding does not matter to: its headers take g++ six seconds in each test.
PLAIN_ENTRY = """\
extern "C" void scale(const float* x, float* y, int n) { launch_scale(x, y, n, nullptr); }
"""
PLAIN_PROGRAM = """\
import ctypes
import torch
from torch.utils.cpp_extension import load

library = ctypes.CDLL(load("scaling", ["kernel.cu"], is_python_module=False))
x = torch.ones(4, device="cuda")
y = torch.empty_like(x)
library.scale(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), x.numel())
print(y.tolist())
"""


def write_project(folder: Path) -> None:
    """An extension in three files, kernel.cu, factor.cuh and binding.cpp: scaling::scale(x) = 3 x."""
    (folder / "kernel.cu").write_text(KERNEL)
    (folder / "binding.cpp").write_text(BINDING)
    (folder / "factor.cuh").write_text("#define FACTOR 3\n")


def run(folder: Path, *arguments: str, simulated: bool = True) -> subprocess.CompletedProcess[str]:
    """Run Python in `folder`, on the simulated GPU unless told otherwise."""
    environment = {
        **os.environ,
        **QUICK_BUILDS,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TORCH_EXTENSIONS_DIR": str(folder / "extensions"),
        "CU2GRAD_BACKEND": "simt",
    }
    command = [sys.executable, *(["-m", "cusimt"] if simulated else []), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def script(folder: Path, text: str, name: str = "script.py") -> str:
    (folder / name).write_text(textwrap.dedent(text))
    return name
