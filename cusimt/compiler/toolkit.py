"""The simulated CUDA toolkit: a folder that programs can take for CUDA_HOME.

`bin/nvcc` is nvcc.py, `bin/cuobjdump` gpu_code.py, and `bin/cusimt-nvrtc` nvrtc.py; `include` holds this
backend's headers. The libraries in `lib64` are linker scripts that pull in what the real ones would stand
for: the SIMT runtime with the module object that every library with kernels needs, and the simulated torch
device.
"""

from __future__ import annotations

import functools
import shlex
import subprocess
import sys
from pathlib import Path

from cusimt.compiler import cccl, libraries
from cusimt.compiler.nvcc import CHECKS_VARIABLE, wrapped_functions
from cusimt.compiler.nvcc_report import TOOLKIT_VARIABLE
from cusimt.folders import IMPORT_FOLDER, PACKAGE
from cusimt.support import cache
from cusimt.support.linker import shared_library_flags
from cusimt.support.toolchain import host_compiler

__all__ = ["cuda_home", "read_by_builds", "translator"]

_RUNTIME_NAMES = (
    "libcudart.so",
    "libcudart_static.a",
    "libcuda.so",
    "libnvrtc.so",
    "libcublas.so",
    "libcublasLt.so",
    "libcufft.so",
    "libcurand.so",
    "libcusparse.so",
    "libnvToolsExt.so",
)
_SOLVER_NAME = "libcusolver.so"
_DEVICE_NAMES = ("libc10_cuda.so", "libtorch_cuda.so")
_PROGRAMS = {
    "nvcc": "cusimt.compiler.nvcc",
    "cuobjdump": "cusimt.compiler.gpu_code",
    "cusimt-nvrtc": "cusimt.compiler.nvrtc",
}
_EMPTY_ARCHIVE = "!<arch>\n"
# An archive, because link commands name several of these libraries, or one twice: it is searched again, but
# its object is taken once.
_MODULE = "libcusimt_module.a"


def cuda_home(checked: bool) -> Path:
    """The toolkit's folder in the cache; `checked` compiles kernels with access checks."""
    runtime, device, module, solver = _built(checked)
    headers = {item.name: item for folder in reversed(libraries.include_dirs()) for item in folder.iterdir()}
    library_headers = cccl.include_dir()  # where a toolkit of CUDA 13 has them, too
    parts = ["toolkit", sys.executable, IMPORT_FOLDER, checked, runtime, device, module, solver]
    parts += [library_headers, translator(), *sorted(map(str, headers.values()))]
    with cache.entry(parts, room="toolkits") as slot:
        if slot.missing:
            for folder in ("bin", "lib64", "include"):
                (slot.folder / folder).mkdir()
            for program, implementation in _PROGRAMS.items():
                _write_program(slot.folder / "bin" / program, implementation, slot.path, checked)
            for name, header in headers.items():
                (slot.folder / "include" / name).symlink_to(header)
            if library_headers:
                (slot.folder / "include/cccl").symlink_to(library_headers)
            lib64 = slot.folder / "lib64"
            _write_module(module, lib64 / _MODULE, checked)
            script = _linker_script(slot.path / "lib64" / _MODULE, runtime)
            for name in _RUNTIME_NAMES:
                (lib64 / name).write_text(f"{script}EXTERN(simt_this_module)\n")
            with_solver = _linker_script(slot.path / "lib64" / _MODULE, solver, runtime)
            (lib64 / _SOLVER_NAME).write_text(f"{with_solver}EXTERN(simt_this_module)\n")
            (lib64 / "libcudadevrt.a").write_text(_EMPTY_ARCHIVE)
            for name in _DEVICE_NAMES:
                (lib64 / name).write_text(_linker_script(device, runtime))
    return slot.path


def read_by_builds(checked: bool) -> list[Path]:
    """The folders outside this package that a build with the toolkit reads, each of them made now.

    A build that runs where nothing can be added to the cache compiles whatever of it is missing there again.
    """
    built = [product.parent for product in _built(checked)]
    return [cuda_home(checked), *built, *filter(None, [cccl.include_dir()])]


def _built(checked: bool) -> tuple[Path, Path, Path, Path]:
    """The runtime, the simulated torch device, the module object and cuSOLVER."""
    device = libraries.device_library()  # compiles the runtime beside it
    return libraries.runtime_library(), device, libraries.module_object(checked), libraries.solver_library()


@functools.cache
def translator() -> str:
    """A digest: what another translator built is built again, since build tools look at nvcc's path."""
    return cache.digest(cache.tree_digest(PACKAGE / room, (".py",)) for room in ("translate", "compiler"))


def _write_program(script: Path, implementation: str, home: Path, checked: bool) -> None:
    """A shell script around this Python. -P and -s keep the caller's folder and user packages out of it."""
    python = shlex.quote(sys.executable)
    path = f"PYTHONPATH={shlex.quote(str(IMPORT_FOLDER))}${{PYTHONPATH:+:$PYTHONPATH}}"
    own = f"{CHECKS_VARIABLE}={int(checked)} {TOOLKIT_VARIABLE}={shlex.quote(str(home))}"
    script.write_text(f'#!/bin/sh\n{path} {own} exec {python} -P -s -m {implementation} "$@"\n')
    script.chmod(0o755)


def _write_module(module: Path, archive: Path, checked: bool) -> None:
    """The module object as if linked with --wrap, which the programs' own link commands do not say."""
    renamed = [f"--redefine-sym=__real_{name}={name}" for name in wrapped_functions(checked)]
    copy = archive.with_suffix(".o")
    subprocess.run(["objcopy", *renamed, module, copy], check=True)
    subprocess.run(["ar", "rcs", archive, copy], check=True)
    copy.unlink()


def _linker_script(*files: Path) -> str:
    """A library of CUDA as a list of `files`, and libstdc++: gcc does not link it to a program in C, and
    kernels of this backend need it.
    """
    inputs = [f'"{file}"' for file in (*files, *shared_library_flags(host_compiler()))]
    return f"/* GNU ld script */\nINPUT({' '.join([*inputs, '-lstdc++', '-lm'])})\n"
