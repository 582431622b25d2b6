"""Compile a .cu file of `cusimt/tests/surface` and call its launchers with numpy arrays.

A launcher is `extern "C" void name(pointers and numbers)`. Arrays travel to device memory and back, so that a
test reads like a call. With CUSIMT_SURFACE=cuda in the environment nvcc compiles the same files and the same
tests run on a GPU: that is how they were checked to expect what hardware does.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt.compiler import cccl, libraries
from cusimt.findings import symbolise
from cusimt.support import cache
from cusimt.support.toolchain import cuda_toolkit, host_compiler, torch_install
from cusimt.translate import translate

SOURCES = Path(__file__).parent / "surface"
ON_GPU = os.environ.get("CUSIMT_SURFACE") == "cuda"
Array = NDArray[Any]

_HOST_TO_DEVICE, _DEVICE_TO_HOST = 1, 2
# A CUDA build of torch, imported before, offers the real runtime's functions to every library.
_OWN_FIRST = os.RTLD_DEEPBIND


class LaunchFailed(RuntimeError):
    """A CUDA error, and what the checked build had noticed by then."""

    def __init__(self, error: str, found: str) -> None:
        super().__init__(error + found)
        self.found = found


class Program:
    """A loaded library."""

    def __init__(self, library: Path) -> None:
        self._runtime = runtime()
        self._library = ctypes.CDLL(str(library), mode=_OWN_FIRST)

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self.call, name)

    def call(self, name: str, *arguments: Array | int | float) -> None:
        """Call a launcher; an array is an in-out argument, a float a C float. Raises on a CUDA error."""
        passed: list[ctypes.c_void_p | ctypes.c_float | ctypes.c_int] = []
        arrays = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                device = self._to_device(argument)
                arrays.append((argument, device))
                passed.append(device)
            else:
                passed.append(_number(argument))
        error = self._launch(name, passed)
        for array, device in arrays:
            self._runtime.cudaMemcpy(_host(array), device, _size(array), _DEVICE_TO_HOST)
            self._runtime.cudaFree(device)
        self._raise_for(error)

    def call_with_host_memory(self, name: str, *arguments: Array | int | float) -> None:
        """Call a function that takes host memory and copies it by itself. Raises on a CUDA error."""
        passed = [_host(each) if isinstance(each, np.ndarray) else _number(each) for each in arguments]
        self._raise_for(self._launch(name, passed))

    def _launch(self, name: str, passed: Sequence[ctypes.c_void_p | ctypes.c_float | ctypes.c_int]) -> int:
        """The CUDA error after the call."""
        getattr(self._library, name)(*passed)
        return int(self._runtime.cudaGetLastError() or self._runtime.cudaDeviceSynchronize())

    def _raise_for(self, error: int) -> None:
        if error:
            self._runtime.cudaGetErrorString.restype = ctypes.c_char_p
            raise LaunchFailed(self._runtime.cudaGetErrorString(error).decode(), findings())

    def _to_device(self, array: Array) -> ctypes.c_void_p:
        assert array.flags.c_contiguous
        device = ctypes.c_void_p()
        assert self._runtime.cudaMalloc(ctypes.byref(device), _size(array)) == 0
        assert self._runtime.cudaMemcpy(device, _host(array), _size(array), _HOST_TO_DEVICE) == 0
        return device


def _number(value: int | float) -> ctypes.c_float | ctypes.c_int:
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)


def _host(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _size(array: Array) -> ctypes.c_size_t:
    return ctypes.c_size_t(array.nbytes)


@functools.cache
def runtime() -> ctypes.CDLL:
    """The CUDA runtime API: the simulated one, or the GPU's."""
    library = libraries.runtime_library()
    if ON_GPU:
        library = next(cuda_toolkit().library_dir.glob("libcudart.so.*"))
    return ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL | _OWN_FIRST)


def findings() -> str:
    """What the checked build noticed since the last call, one JSON object per line."""
    if ON_GPU:
        return ""
    runtime().simt_take_findings.restype = ctypes.c_char_p
    found: bytes = runtime().simt_take_findings()
    return found.decode()


def no_findings() -> bool:
    """Whether there is nothing among `findings` that a report would show."""
    return symbolise([json.loads(line) for line in findings().splitlines()]) == []


def begin_anew() -> None:
    """Drop the errors, findings and records of what ran in this process until now, if anything did."""
    if runtime.cache_info().currsize and not ON_GPU:
        runtime().simt_reset()


@functools.cache
def program(name: str, *, checked: bool = False, torch: bool = False) -> Program:
    """The library of `surface/NAME.cu`.

    `checked`: compiled with access hooks; `torch`: with PyTorch's header-only part on the include path.
    """
    source = SOURCES / f"{name}.cu"
    folders = torch_install().include_dirs if torch else ()
    commands = (_for_gpu if ON_GPU else _for_simt)(source, folders, checked)
    headers = [cache.tree_digest(folder) for folder in libraries.include_dirs()]
    key = ["surface", host_compiler().version, *map(str, commands), *headers, source.read_text()]
    with cache.entry(key, room="tests") as slot:
        if slot.missing:
            (slot.folder / "translated.cpp").write_text(translate(source.read_text(), str(source)))
            for command in commands:
                done = subprocess.run(command, cwd=slot.folder, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr
    return Program(slot.path / "surface.so")


def _for_simt(source: Path, folders: tuple[Path, ...], checked: bool) -> list[list[str]]:
    compiler, module = host_compiler().command, str(libraries.module_object(checked))
    flags = [
        *libraries.compile_flags(checked),
        *(f"-I{folder}" for folder in (*libraries.include_dirs(), *folders)),
        *cccl.include_flags(),
    ]
    compile_ = [*compiler, *flags, "-include", "simt/prelude.h", "-c", "translated.cpp", "-o", "kernel.o"]
    link = [*compiler, "-shared", "kernel.o", module, *libraries.link_flags(checked), "-o", "surface.so"]
    return [compile_, link]


def _for_gpu(source: Path, folders: tuple[Path, ...], checked: bool) -> list[list[str]]:
    if checked:
        pytest.skip("a GPU has no checked build")
    flags = ["-arch=native", "-std=c++17", "-fmad=false", *(f"-I{folder}" for folder in folders)]
    flags += ["-shared", "-Xcompiler", "-fPIC", "-cudart", "shared", "-lcuda"]
    return [[str(cuda_toolkit().nvcc), *flags, str(source), "-o", "surface.so"]]
