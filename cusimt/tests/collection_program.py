"""The kernels of `cusimt/tests/collection`: built through the simulated nvcc, called as a reference says.

`collection/THEME.cu` has launchers, `extern "C" void name(pointers and numbers)`; `collection/THEME.py` has
for each a function of the same name, which makes the arguments and says what they must hold afterwards:

    @kernel(1, 257, 1000)                                        # the sizes to try
    def axpy(rng: Generator, n: int) -> Call:
        x, y = rng.normal(size=(2, n)).astype(np.float32)
        return Call((n, 2.5, x, y), {3: np.float32(2.5) * x + y})

With CUSIMT_SURFACE=cuda in the environment nvcc compiles the same files for a GPU.
"""

from __future__ import annotations

import ast
import functools
import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cusimt.compiler import libraries
from cusimt.compiler.nvcc import CHECKS_VARIABLE
from cusimt.folders import PACKAGE
from cusimt.support import cache
from cusimt.support.toolchain import cuda_toolkit, host_compiler
from cusimt.tests.surface_program import ON_GPU, Program

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).parent / "collection"
_parsing = threading.Lock()

Array = NDArray[Any]
Check = Callable[[Array], None]  # raises AssertionError
Argument = Array | int | float


@dataclass(frozen=True)
class Call:
    """Arguments of a launcher, and what some of them must hold afterwards: values, or a check of them."""

    arguments: tuple[Argument, ...]
    expected: Mapping[int, Array | Check]
    rtol: float = 0.0  # both zero: equal to the last bit
    atol: float = 0.0
    on_host: bool = False  # the launcher takes host memory, and copies by itself

    def run(self, program: Program, name: str) -> None:
        """Call `name` with copies of the arguments. AssertionError: it leaves something else in them."""
        passed = [each.copy() if isinstance(each, np.ndarray) else each for each in self.arguments]
        (program.call_with_host_memory if self.on_host else program.call)(name, *passed)
        for position, wanted in self.expected.items():
            result = passed[position]
            assert isinstance(result, np.ndarray)
            if callable(wanted):
                wanted(result)
            elif self.rtol or self.atol:
                assert result.shape == wanted.shape
                np.testing.assert_allclose(
                    result.astype(np.float64), wanted.astype(np.float64), self.rtol, self.atol
                )
            else:
                np.testing.assert_array_equal(result, wanted)


Reference = Callable[[Generator, int], Call]


@dataclass(frozen=True)
class Kernel:
    """One entry of the collection."""

    theme: str
    name: str
    reference: Reference = field(repr=False)
    sizes: tuple[int, ...]

    def calls(self) -> dict[int, Call]:
        """By size. The numbers are the same in every run."""
        return {size: self.reference(np.random.default_rng(size), size) for size in self.sizes}


KERNELS: list[Kernel] = []


def kernel(*sizes: int) -> Callable[[Reference], Reference]:
    """Enter the decorated reference, and the launcher of its name, into the collection."""

    def enter(reference: Reference) -> Reference:
        theme = reference.__module__.rpartition(".")[2]
        KERNELS.append(Kernel(theme, reference.__name__, reference, sizes))
        return reference

    return enter


@functools.cache
def collection() -> dict[str, Kernel]:
    """All kernels, by `theme.name`."""
    for source in sorted(SOURCES.glob("*.py")):
        importlib.import_module(f"cusimt.tests.collection.{source.stem}")
    return {f"{each.theme}.{each.name}": each for each in KERNELS}


def unset(*shape: int, dtype: Any = np.float32) -> Array:
    """An output that nobody has written: not a number, or a number that no kernel computes."""
    return np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else 99, dtype)


@functools.cache
def theme_program(theme: str, checked: bool) -> Program:
    """The loaded library of `collection/THEME.cu`, in one of the two builds."""
    return Program(theme_library(theme, checked))


def theme_library(theme: str, checked: bool) -> Path:
    """The library of `collection/THEME.cu`, from the cache unless a compiler or its input has changed."""
    source = SOURCES / f"{theme}.cu"
    command = [*_nvcc(), "-std=c++17", "--expt-extended-lambda", "--expt-relaxed-constexpr"]
    command += ["-shared", "-Xcompiler", "-fPIC", str(source)]
    with cache.entry(["collection", checked, *command, *_read_from(source)], room="tests") as slot:
        if slot.missing:
            environment = {**os.environ, CHECKS_VARIABLE: str(int(checked)), "PYTHONPATH": str(ROOT)}
            command += ["-o", str(slot.folder / "theme.so")]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    return slot.path / "theme.so"


def _read_from(source: Path) -> list[str]:
    """What the library is made by and from: not the whole package, whose other modules change nothing."""
    headers = [cache.file_digest(header) for header in sorted(SOURCES.glob("*.*h"))]
    own = [cache.file_digest(source), *headers]
    if ON_GPU:
        return [cuda_toolkit().identity, *own]
    return [host_compiler().version, libraries.sources_digest(), _translator(), *own]


def _translator() -> str:
    """A digest of what `nvcc` does, in which comments and docstrings do not count.

    Libraries are made in several threads, and early releases of Python 3.11 cannot parse in two at a time.
    """
    with _parsing:
        return _digest_of_translator()


@functools.cache
def _digest_of_translator() -> str:
    rooms = [PACKAGE / name for name in ("compiler", "support", "translate")]
    modules = [PACKAGE / "folders.py", PACKAGE / "gpu_models.py"]
    modules += sorted(path for room in rooms for path in room.rglob("*.py"))
    return cache.digest(map(code_of, modules))


def code_of(module: Path) -> str:
    """A module without its comments and docstrings."""
    tree = ast.parse(module.read_text())
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node) is not None:
            node.body.pop(0)
    return ast.dump(tree)


def _nvcc() -> list[str]:
    if ON_GPU:
        return [str(cuda_toolkit().nvcc), "-arch=native", "-fmad=false", "-cudart", "shared"]
    libraries.module_object(False)  # builds the runtime once, not in each of the compilers
    return [sys.executable, "-m", "cusimt.compiler.nvcc"]


def source_line(theme: str, mark: str) -> int:
    """The number of the line of `collection/THEME.cu` that ends with the comment `// <- MARK`."""
    lines = (SOURCES / f"{theme}.cu").read_text().splitlines()
    (number,) = (index for index, line in enumerate(lines, 1) if line.rstrip().endswith(f"// <- {mark}"))
    return number
