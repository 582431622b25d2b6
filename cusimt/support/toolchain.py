"""Finds the compilers and headers that a build needs, without importing torch and without asking the network.

Every function either answers or raises a ToolchainError that names the Debian or PyPI package to install.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.errors import ToolchainError

__all__ = [
    "NVCC_FLAGS",
    "HostCompiler",
    "compiler_called",
    "cuda_toolkit",
    "host_compiler",
    "ninja",
    "pybind11_include",
    "python_include",
    "torch_install",
]

# With which kernels are compiled for a GPU: those that are run, and those whose registers are counted.
NVCC_FLAGS = (
    "-std=c++20",
    "-O3",
    "-lineinfo",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "-Xcompiler=-fPIC",
)


@dataclass(frozen=True)
class HostCompiler:
    """A C++ compiler: how to call it, its family ("gcc" or "clang"), and the version line it prints."""

    command: tuple[str, ...]
    family: str
    version: str

    @property
    def identity(self) -> tuple[str, ...]:
        """What stays the same when the compiler is called by another of its names, such as /usr/bin/c++."""
        program, *arguments = self.command
        path = os.path.realpath(shutil.which(program) or program)
        return (path, *arguments, self.version.removeprefix(f"{Path(program).name} "))


@dataclass(frozen=True)
class CudaToolkit:
    """An nvcc with the folder of its headers and its runtime library."""

    nvcc: Path
    include_dirs: tuple[Path, ...]
    cudart: Path  # libcudart.so, or libcudart.so.13 in NVIDIA's wheels
    identity: str  # changes whenever nvcc itself does

    @property
    def library_dir(self) -> Path:
        return self.cudart.parent


@dataclass(frozen=True)
class TorchInstall:
    """Where torch is, its version, and the CUDA version it was made for (None in a CPU build)."""

    root: Path
    version: str
    cuda: str | None

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        return (self.root / "include", self.root / "include/torch/csrc/api/include")

    @property
    def library_dir(self) -> Path:
        return self.root / "lib"


@functools.cache
def host_compiler() -> HostCompiler:
    """The compiler that CXX names, else g++, else clang++."""
    chosen = os.environ.get("CXX", "")
    for command in (shlex.split(chosen),) if chosen else (["g++"], ["clang++"]):
        if command and shutil.which(command[0]):
            return compiler_called(*command)
    raise ToolchainError(
        f"CXX names {chosen!r}, which cannot be run." if chosen else "No C++ compiler was found.",
        "Kernels and bindings are compiled on this machine, with g++ or clang++.",
        "Correct CXX, or unset it to use g++." if chosen else "On Debian or Ubuntu: sudo apt install g++",
    )


def compiler_called(*command: str) -> HostCompiler:
    """The C++ compiler that `command` runs; ToolchainError if it cannot tell its version."""
    version = _first_line([*command, "--version"])
    return HostCompiler(command, "clang" if "clang" in version else "gcc", version)


@functools.cache
def ninja() -> Path:
    """The ninja of the PyPI package, else the one on PATH."""
    beside_python = Path(sysconfig.get_path("scripts")) / "ninja"
    if os.access(beside_python, os.X_OK):
        return beside_python
    found = shutil.which("ninja")
    if found is None:
        raise ToolchainError(
            "The program ninja was not found.",
            "It runs the compilers and comes with this package.",
            "Install it with: python -m pip install ninja",
        )
    return Path(found)


@functools.cache
def python_include() -> Path:
    """The folder of Python.h, which torch/extension.h and pybind11 include."""
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolchainError(
            f"Python.h of Python {version} was not found in {folder}.",
            "Extension modules are compiled against Python's headers, which Debian packages separately.",
            "On Debian or Ubuntu: sudo apt install python3-dev",
        )
    return folder


@functools.cache
def torch_install() -> TorchInstall:
    """torch's place and version, read from its files: importing it would take two seconds."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise ToolchainError(
            "PyTorch is not installed in this Python.",
            "Exercises are compiled against its headers and run inside it.",
            "Install it with: python -m pip install torch --index-url https://download.pytorch.org/whl/cpu",
        )
    root = Path(spec.origin).parent
    text = (root / "version.py").read_text()
    version = re.search(r"^__version__\s*=\s*'([^']+)'", text, re.MULTILINE)
    cuda = re.search(r"^cuda\b[^=\n]*=\s*'([^']+)'", text, re.MULTILINE)
    return TorchInstall(root, version[1] if version else "unknown", cuda[1] if cuda else None)


def pybind11_include() -> Path:
    """The folder that holds pybind11/: the pybind11 package's, else the copy inside torch."""
    spec = importlib.util.find_spec("pybind11")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "include"
    return torch_install().root / "include"


@functools.cache
def cuda_toolkit() -> CudaToolkit:
    """The first complete toolkit among CUDA_HOME, nvcc on PATH, /usr/local/cuda and NVIDIA's PyPI wheels.

    The simulated toolkit, which CUDA_HOME names in a program on the simulated GPU, is none.
    """
    tried = [home for home in dict.fromkeys(toolkit_homes()) if not (home / "include/simt_api.h").exists()]
    for home in tried:
        nvcc, header = home / "bin/nvcc", home / "include/cuda_runtime.h"
        runtimes = sorted(f for folder in ("lib64", "lib") for f in (home / folder).glob("libcudart.so*"))
        if os.access(nvcc, os.X_OK) and header.is_file() and runtimes:
            status = nvcc.resolve().stat()
            identity = f"{nvcc.resolve()} {status.st_size} {status.st_mtime_ns}"
            return CudaToolkit(nvcc, (home / "include",), runtimes[0], identity)
    raise ToolchainError(
        "No complete CUDA toolkit was found (looked in " + ", ".join(map(str, tried)) + ").",
        "The cuda backend needs nvcc, cuda_runtime.h and libcudart of one version.",
        "Set CUDA_HOME, or install the wheels with: python -m pip install 'cusimt[cuda]'",
    )


def toolkit_homes() -> Iterator[Path]:
    """Where a CUDA toolkit may be: CUDA_HOME, CUDA_PATH, around nvcc, /usr/local/cuda, NVIDIA's wheels."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if chosen := os.environ.get(variable):
            yield Path(chosen)
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parent.parent
    yield Path("/usr/local/cuda")
    wheels = importlib.util.find_spec("nvidia")
    for folder in (wheels.submodule_search_locations or []) if wheels else []:
        yield from sorted(nvcc.parent.parent for nvcc in Path(folder).glob("*/bin/nvcc"))


def _first_line(command: list[str]) -> str:
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainError(
            f"{shlex.join(command)} failed: {error}",
            "A compiler that cannot tell its version cannot be trusted with a build.",
            "Try the same command by hand, or choose another compiler with CXX.",
        ) from None
    return answer.partition("\n")[0]
