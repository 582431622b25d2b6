"""Compile a .cu file of `tests/simt/surface` for the simulated GPU and call its launchers with numpy arrays.

A launcher is `extern "C" void name(pointers and numbers)`. Arrays travel to device memory and back, so that a
test reads like a call.
"""

from __future__ import annotations

import ctypes
import functools
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader import cache
from grader.simt import native
from grader.simt.translate import translate
from grader.toolchain import host_compiler, torch_install

SOURCES = Path(__file__).parent / "surface"
Array = NDArray[Any]

_HOST_TO_DEVICE, _DEVICE_TO_HOST = 1, 2


class Program:
    """A loaded library. `checked` says whether it was compiled with access hooks."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._runtime = runtime()

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self.call, name)

    def call(self, name: str, *arguments: Array | int | float) -> None:
        """Call a launcher; an array is an in-out argument, a float a C float. Raises on a CUDA error."""
        passed, arrays = [], []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                device = self._to_device(argument)
                arrays.append((argument, device))
                passed.append(device)
            else:
                passed.append(
                    ctypes.c_float(argument) if isinstance(argument, float) else ctypes.c_int(argument)
                )
        getattr(self._library, name)(*passed)
        error = self._runtime.cudaDeviceSynchronize() or self._runtime.cudaGetLastError()
        for array, device in arrays:
            self._runtime.cudaMemcpy(
                array.ctypes.data_as(ctypes.c_void_p), device, array.nbytes, _DEVICE_TO_HOST
            )
            self._runtime.cudaFree(device)
        if error:
            self._runtime.cudaGetErrorString.restype = ctypes.c_char_p
            raise RuntimeError(self._runtime.cudaGetErrorString(error).decode() + findings())

    def _to_device(self, array: Array) -> ctypes.c_void_p:
        assert array.flags.c_contiguous
        device = ctypes.c_void_p()
        assert self._runtime.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(array.nbytes)) == 0
        size = ctypes.c_size_t(array.nbytes)
        copied = self._runtime.cudaMemcpy(
            device, array.ctypes.data_as(ctypes.c_void_p), size, _HOST_TO_DEVICE
        )
        assert copied == 0
        return device


@functools.cache
def runtime() -> ctypes.CDLL:
    return ctypes.CDLL(str(native.runtime_library()), mode=ctypes.RTLD_GLOBAL)


def findings() -> str:
    """What the checked build noticed since the last call, one JSON object per line."""
    runtime().simt_take_findings.restype = ctypes.c_char_p
    found: bytes = runtime().simt_take_findings()
    return found.decode()


@functools.cache
def program(name: str, *, checked: bool = False, torch: bool = False) -> Program:
    """The library of `surface/NAME.cu`; `torch`: with PyTorch's header-only part on the include path."""
    source = SOURCES / f"{name}.cu"
    compiler = host_compiler()
    folders = [*native.include_dirs(), *(torch_install().include_dirs if torch else ())]
    flags = [*native.compile_flags(checked), *(f"-I{folder}" for folder in folders)]
    headers = [cache.tree_digest(folder) for folder in native.include_dirs()]
    translated = translate(source.read_text(), str(source))
    key = ["surface", compiler.version, *flags, *headers, translated, str(native.module_object(checked))]
    with cache.entry(key, room="tests") as slot:
        if slot.missing:
            (slot.folder / "translated.cpp").write_text(translated)
            compile_ = [*compiler.command, *flags, "-include", "simt/prelude.h", "-c", "translated.cpp"]
            link = [*compiler.command, "-shared", "translated.o", str(native.module_object(checked))]
            link += [*native.link_flags(checked), "-o", "surface.so"]
            for command in (compile_, link):
                done = subprocess.run(command, cwd=slot.folder, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr
    return Program(slot.path / "surface.so")
