"""Ways to bind a kernel, side by side: time to compile, time of a call, and the graph breaks of each.

Compiled are the files of docs/samples/bindings, and of the solution of 02 the kernel with torch/extension.h
in the same file; one by one, without precompiled headers. Seconds are those of the processor, which a busy
machine changes less than those on the wall. Called are functions that do nothing (binding_styles/), on host
arrays and CPU tensors: what is measured is the way to the function, not a kernel, so no GPU is needed.
"""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
import tempfile
import timeit
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import record
import torch
from torch.utils import cpp_extension

from cusimt.support.toolchain import cuda_toolkit, host_compiler, pybind11_include, python_include

SAMPLES = record.REPOSITORY / "docs" / "samples" / "bindings"
STYLES = Path(__file__).parent / "binding_styles"
FILES = (
    ("the kernel alone", SAMPLES / "load" / "axpy.cu", "CUDA's headers"),
    ("pybind11 alone", SAMPLES / "pybind11" / "binding.cpp", "pybind11"),
    ("load(), CUDAExtension", SAMPLES / "load" / "binding.cpp", "torch/extension.h"),
    ("TORCH_LIBRARY", SAMPLES / "torch_library" / "binding.cpp", "torch/library.h"),
    ("custom_op", SAMPLES / "custom_op" / "binding.cpp", "CUDA's headers"),
    ("stable ABI", SAMPLES / "stable_abi" / "csrc" / "binding.cpp", "torch/csrc/stable"),
    (
        "kernel and binding in one .cu (02)",
        record.REPOSITORY / "solutions" / "02_elementwise_mult" / "kernel.cu",
        "torch/extension.h",
    ),
)
STABLE = ("-DTORCH_TARGET_VERSION=0x020a000000000000", "-DUSE_CUDA")  # as in its setup.py
ROUNDS, CALLS = 40, 2000


def includes(scratch: Path) -> list[str]:
    """Of CUDA, Python and torch, whose CPU build lacks one header that its build for CUDA generates."""
    missing = scratch / "c10" / "cuda" / "impl" / "cuda_cmake_macros.h"
    missing.parent.mkdir(parents=True, exist_ok=True)
    missing.write_text("#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n")
    folders = [pybind11_include(), python_include(), *cpp_extension.include_paths(), scratch]
    return [part for each in (*cuda_toolkit().include_dirs, *folders) for part in ("-isystem", str(each))]


def command(source: Path, flags: list[str]) -> list[str]:
    """The compiler for `source`, up to its output."""
    common = ["-std=c++20", "-O2", "-DTORCH_EXTENSION_NAME=extension", *flags, "-c", str(source)]
    if source.suffix == ".cu":
        return [str(cuda_toolkit().nvcc), "-arch=sm_90", "-Xcompiler", "-fPIC", *common]
    return [*host_compiler().command, "-fPIC", *common]


def processor_seconds(line: list[str]) -> float:
    """User and system time of a command, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)} failed:\n{done.stdout}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compilation() -> str:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        flags = includes(scratch)
        for way, source, header in FILES:
            macros = STABLE if "stable_abi" in source.parts else ()
            taken = processor_seconds([*command(source, [*flags, *macros]), "-o", f"{scratch}/object.o"])
            compiler = "nvcc" if source.suffix == ".cu" else "g++"
            rows.append((way, source.name, compiler, header, f"{taken:.1f} s"))
    return record.table(("way", "file", "compiler", "its largest header", "processor time"), rows)


# ---- calls -----------------------------------------------------------------------------------------------


def built(name: str, scratch: Path, *libraries: str) -> Path:
    """The shared library of one of binding_styles/."""
    library = scratch / f"{name}.so"
    line = [*host_compiler().command, "-fPIC", "-std=c++20", "-O2", "-shared", str(STYLES / f"{name}.cpp")]
    linked = [
        *(f"-L{folder}" for folder in cpp_extension.library_paths()),
        *(f"-l{each}" for each in libraries),
    ]
    processor_seconds(
        [*line, f"-DTORCH_EXTENSION_NAME={name}", *includes(scratch), *linked, "-o", str(library)]
    )
    return library


def imported(library: Path) -> ModuleType:
    recipe = importlib.util.spec_from_file_location(library.stem, library)
    assert recipe is not None and recipe.loader is not None
    module = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(module)
    return module


def fresh(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The operation of the dispatcher with a result of its own, as 03 has it."""
    out = torch.empty_like(a)
    torch.ops.binding_styles.call(a, b, out)
    return out


class Differentiable(torch.autograd.Function):
    """The same, as 03 wraps it."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return fresh(a, b)


def nanoseconds(call: Callable[[], object]) -> str:
    """The least of many rounds: what the call costs when nothing else interrupts it."""
    least = min(timeit.repeat(call, number=CALLS, repeat=ROUNDS)) / CALLS
    return f"{least * 1e9:.0f} ns"


def calls(arrays: ModuleType, tensors: ModuleType) -> str:
    x, y, z = (np.zeros(8, np.float32) for _ in range(3))
    a, b, c = (torch.zeros(8) for _ in range(3))
    wanted = torch.zeros(8, requires_grad=True)
    operation = torch.ops.binding_styles.call

    record_call = Differentiable.apply
    rows = [
        ("pybind11, three NumPy arrays", nanoseconds(lambda: arrays.call(x, y, z))),
        ("torch/extension.h, three tensors", nanoseconds(lambda: tensors.call(a, b, c))),
        ("TORCH_LIBRARY, three tensors", nanoseconds(lambda: operation(a, b, c))),
        ("the same, its overload looked up once", nanoseconds(lambda: operation.default(a, b, c))),
        ("TORCH_LIBRARY, with a torch.empty_like for the result", nanoseconds(lambda: fresh(a, b))),
        ("the same in an autograd.Function that records", nanoseconds(lambda: record_call(wanted, b))),
        ("torch.add into a tensor, for comparison", nanoseconds(lambda: torch.add(a, b, out=c))),
    ]  # fmt: skip
    return record.table(("call", "least time of a call"), rows)


def graph_breaks(tensors: ModuleType) -> str:
    """How often torch.compile has to leave a function that calls one of them between two other operations."""
    torch.library.register_fake("binding_styles::call", lambda a, b, out: None)

    def through_module(a: torch.Tensor) -> torch.Tensor:
        tensors.call(a + 1, a, a)
        return a * 2

    def through_dispatcher(a: torch.Tensor) -> torch.Tensor:
        torch.ops.binding_styles.call(a + 1, a, a)
        return a * 2

    functions = (("torch/extension.h", through_module), ("TORCH_LIBRARY, with a fake", through_dispatcher))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the break that is counted here
        rows = [
            (name, torch._dynamo.explain(function)(torch.zeros(8)).graph_break_count)
            for name, function in functions
        ]
    return record.table(("bound with", "graph breaks"), rows)


def main() -> None:
    options = record.arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        arrays = imported(built("numpy_module", scratch))
        tensors = imported(built("tensor_module", scratch, "c10", "torch_cpu", "torch_python"))
        torch.ops.load_library(built("tensor_library", scratch, "c10", "torch_cpu"))
        text = f"{compilation()}\n\n{calls(arrays, tensors)}\n\n{graph_breaks(tensors)}"
    record.report("Ways to bind a kernel", text, options.record)


if __name__ == "__main__":
    main()
