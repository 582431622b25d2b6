"""load(): torch.utils.cpp_extension.load, with this grader's cache and on both backends."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from grader.compilation.artifact import Artifact
from grader.support.errors import ExplainedError, InfrastructureError, UsageError
from grader.support.folders import PACKAGE

_preloaded: dict[str, Artifact] = {}


def preload(artifacts: Mapping[str, Artifact]) -> None:
    """From now on `load` of one of these names loads that library and builds nothing. For workers."""
    _preloaded.update(artifacts)


def load(
    name: str,
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
) -> ModuleType | str:
    """Compile `sources` when they have changed, load the library, and return what torch's `load` returns.

    That is the imported module, or with `is_python_module=False` the path of a library whose operators are
    now in torch.ops. Relative sources and include paths are relative to the file that calls `load`. A
    `build_directory` receives a copy of the library; `with_cuda` and `keep_intermediates` change nothing,
    since sources tell what they are and the cache keeps everything. Raises BuildFailed, ToolchainError, and
    UsageError for SYCL and executables.
    """
    if artifact := _preloaded.get(name):
        return _import(artifact.path, name, is_python_module)
    if with_sycl or is_standalone:
        raise UsageError(
            f"load({name!r}) asks for {'SYCL' if with_sycl else 'a standalone executable'}.",
            "grader.load builds CUDA and C++ libraries for PyTorch.",
            "Use torch.utils.cpp_extension.load for this one.",
        )
    # A worker, whose libraries are built, must not wait for the compiler's modules either.
    from cusimt.compiler.nvcc import checks_wanted
    from grader.compilation.builder import build
    from grader.compilation.devices import detect_backend
    from grader.compilation.request import BuildRequest

    folder = _caller_folder()
    listed = [sources] if isinstance(sources, str | os.PathLike) else sources
    backend = detect_backend()
    if backend == "simt":
        _activate()
    artifact = build(
        BuildRequest(
            name=name,
            interface="torch_extension" if is_python_module else "torch_library",
            sources=tuple(folder / source for source in listed),
            backend=backend,
            checked=backend == "simt" and checks_wanted(),
            cuda_flags=tuple(extra_cuda_cflags or ()),
            cxx_flags=tuple(extra_cflags or ()),
            ld_flags=tuple(extra_ldflags or ()),
            include_dirs=tuple(folder / path for path in extra_include_paths or ()),
        ),
        verbose=verbose,
    )
    path = artifact.path
    if build_directory is not None:
        path = Path(shutil.copy2(path, Path(build_directory).absolute() / path.name))
    return _import(path, name, is_python_module)


def _import(path: Path, name: str, is_python_module: bool) -> ModuleType | str:
    if not is_python_module:
        import torch

        torch.ops.load_library(str(path))  # type: ignore[no-untyped-call]
        return str(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InfrastructureError(
            f"{path} is not something Python can import.",
            "A Python extension module is a shared library whose name ends in .so.",
            "Remove the cache folder and build again.",
        )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _activate() -> None:
    """Put the simulated device under torch, which is possible only before torch is imported."""
    from cusimt.activate import activate

    try:
        activate()
    except InfrastructureError as error:
        program = Path(sys.argv[0]).name or "script.py"
        raise ExplainedError(
            "There is no usable GPU here, and torch was imported without the simulated one.",
            "The simulated cuda device has to be in place before torch is imported.",
            f"Run the program with: python -m cusimt {program}",
        ) from error


def _caller_folder() -> Path:
    """The folder of the first file on the call stack outside this package; the current folder at a prompt."""
    frame = sys._getframe(1)
    package = str(PACKAGE) + os.sep
    while frame.f_back is not None and str(Path(frame.f_code.co_filename).resolve()).startswith(package):
        frame = frame.f_back
    file = Path(frame.f_code.co_filename)
    return file.absolute().parent if file.is_file() else Path.cwd()
