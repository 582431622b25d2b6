"""Makes the mistakes of docs/reference/errors.md that any machine can make; returns what is printed."""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.utils import cpp_extension, file_baton

from cusimt.support import toolchain
from grader.support.errors import ToolchainError

Patch = pytest.MonkeyPatch
_NUMBERS = itertools.count()
_MODULE = """
#include <Python.h>
%s
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "%s"};
extern "C" __attribute__((visibility("default"))) PyObject* PyInit_%s() {
  %s
  return PyModule_Create(&definition);
}
"""


def literals(file: Path) -> str:
    """The string literals of a Python file, without white space."""
    constants = (
        node.value
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return "\0".join("".join(value.split()) for value in constants)


def _run(*command: str) -> str:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stdout + done.stderr


def _raised(action: Callable[[], object]) -> str:
    try:
        action()
    except BaseException:
        return traceback.format_exc()
    return ""


def _compile(source: str, *flags: str) -> str:
    Path("source.cpp").write_text(source)
    return _run("g++", "source.cpp", *flags)


def _nvcc(source: str, *flags: str) -> str:
    try:
        nvcc = toolchain.cuda_toolkit().nvcc
    except ToolchainError:
        pytest.skip("needs a CUDA toolkit")
    Path("source.cu").write_text(source)
    return _run(str(nvcc), "-c", "source.cu", *flags)


def _module(name: str, function: str, before: str = "", inside: str = "", *flags: str) -> str:
    """Builds an extension module whose function is ``PyInit_<function>``, and imports it as ``name``."""
    include = "-I" + sysconfig.get_path("include")
    said = _compile(
        _MODULE % (before, name, function, inside), "-shared", "-fPIC", include, "-o", f"{name}.so", *flags
    )
    return said or _run(sys.executable, "-c", f"import {name}")


def no_torch(_: Patch) -> str:
    return _run(sys.executable, "-S", "-c", "import torch")


def python_header(_: Patch) -> str:
    return _compile("#include <Python.h>\n", "-nostdinc", "-I.", "-fsyntax-only")


def cuda_home(patch: Patch) -> str:
    patch.setattr(cpp_extension, "CUDA_HOME", None)
    return _raised(lambda: cpp_extension.CUDAExtension("name", ["kernel.cu"]))


def ninja(patch: Patch) -> str:
    patch.setenv("PATH", "")
    return _raised(cpp_extension.verify_ninja_availability)


def arch_list_index(patch: Patch) -> str:
    patch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    patch.setattr(torch.cuda, "device_count", lambda: 0)
    return _raised(cpp_extension._get_cuda_arch_flags)


def kernel_in_cpp(_: Patch) -> str:
    source = "#define __global__\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
    return _compile(source + "void launch(float* x) { k<<<1, 1>>>(x); }\n", "-fsyntax-only")


def macro_header(_: Patch) -> str:
    """Both compilers' words for the macros without c10/cuda/CUDAException.h; nvcc's where there is one."""
    source = "void g() { C10_CUDA_CHECK(0); C10_CUDA_KERNEL_LAUNCH_CHECK(); }\n"
    try:
        return _compile(source, "-fsyntax-only") + _nvcc(source)
    except pytest.skip.Exception:
        return _compile(source, "-fsyntax-only")


def unsupported_architecture(_: Patch) -> str:
    return _nvcc("__global__ void k() {}\n", "-arch=sm_20")


def unresolved_extern(_: Patch) -> str:
    return _nvcc("__device__ float g(float);\n__global__ void k(float* x) { *x = g(*x); }\n", "-arch=sm_80")


def killed(_: Patch) -> str:
    """A compiler that finds itself killed: g++ reports the signal of the program that it runs."""
    compiler = Path("cc1plus")
    compiler.write_text("#!/bin/sh\nkill -9 $$\n")
    compiler.chmod(0o755)
    return _compile("int main() {}\n", "-c", f"-B{Path.cwd()}/")


def undefined_reference(_: Patch) -> str:
    return _compile("void launch(float*);\nint main() { launch(nullptr); }\n")


def stale_lock(patch: Patch) -> str:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    lock = Path("lock")
    lock.touch()
    patch.setattr(file_baton.time, "sleep", interrupted)
    return _raised(file_baton.FileBaton(str(lock)).wait)


def libc10(_: Patch) -> str:
    folder = str(Path(torch.__file__).parent / "lib")
    return _module("early", "early", "", "", f"-L{folder}", "-Wl,--no-as-needed", "-lc10")


def undefined_symbol(_: Patch) -> str:
    return _module("old", "old", "namespace c10 { void gone(); }", "c10::gone();")


def pyinit(_: Patch) -> str:
    return _module("mine", "other")


def _namespace() -> str:
    return f"errors_{next(_NUMBERS)}"


def no_operator(_: Patch) -> str:
    return _raised(lambda: torch.ops.never_loaded.op)


def twice_registered(_: Patch) -> str:
    name = _namespace()
    first = torch.library.Library(name, "DEF")
    said = _raised(lambda: torch.library.Library(name, "DEF"))
    first._destroy()
    return said


def backend(_: Patch) -> str:
    library = torch.library.Library(_namespace(), "DEF")
    library.define("op(Tensor x) -> Tensor")
    said = _raised(lambda: getattr(torch.ops, library.ns).op(torch.ones(2)))
    library._destroy()
    return said


def grad_output(_: Patch) -> str:
    seen = []

    class Identity(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: object, grad_out: torch.Tensor) -> torch.Tensor:
            seen.append(grad_out.stride())
            return grad_out

    Identity.apply(torch.ones(3, requires_grad=True)).sum().backward()
    return str(seen[0])


def gradcheck_float32(_: Patch) -> str:
    x = torch.tensor([0.05, 0.9], requires_grad=True)
    with pytest.warns(UserWarning, match="double precision") as warnings:
        said = _raised(lambda: torch.autograd.gradcheck(lambda x: x**3, (x,)))
    return said + str(warnings[0].message)


def _custom(kernel: Callable[[torch.Tensor], torch.Tensor], fake: Callable[..., torch.Tensor] | None) -> str:
    def op(x: torch.Tensor) -> torch.Tensor:
        return kernel(x)

    # Without `from __future__ import annotations`, the schema would be inferred; here it is written out.
    made = torch.library.custom_op(f"{_namespace()}::op", op, mutates_args=(), schema="(Tensor x) -> Tensor")
    if fake is not None:
        made.register_fake(fake)
    return _raised(lambda: torch.library.opcheck(made, (torch.rand(3, 4),)))


def opcheck_strides(_: Patch) -> str:
    return _custom(lambda x: x.t().contiguous(), lambda x: torch.empty_like(x.t()))


def no_fake(_: Patch) -> str:
    return _custom(lambda x: x * 2, None)


def alias(_: Patch) -> str:
    return _custom(lambda x: x.view(-1), lambda x: x.view(-1))


ALL: dict[str, Callable[[Patch], str]] = {
    "no-torch": no_torch,
    "python-h": python_header,
    "cuda-home": cuda_home,
    "ninja": ninja,
    "arch-list-index": arch_list_index,
    "kernel-in-cpp": kernel_in_cpp,
    "macro-header": macro_header,
    "unsupported-architecture": unsupported_architecture,
    "unresolved-extern": unresolved_extern,
    "killed": killed,
    "undefined-reference": undefined_reference,
    "stale-lock": stale_lock,
    "libc10": libc10,
    "undefined-symbol": undefined_symbol,
    "pyinit": pyinit,
    "no-operator": no_operator,
    "twice-registered": twice_registered,
    "backend": backend,
    "grad-output": grad_output,
    "gradcheck-float32": gradcheck_float32,
    "opcheck-strides": opcheck_strides,
    "no-fake": no_fake,
    "alias": alias,
}
