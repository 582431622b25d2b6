"""torch.utils.cpp_extension on the simulated toolkit: `load`, `load_inline` and setup.py, unmodified.

cpp_extension finds the toolkit through CUDA_HOME. It puts torch's own headers first, among them those that
wrap CUDA and that this backend has its own of: that order is set right when it is imported, and nothing else
of it is touched.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from cusimt.compiler import libraries
from cusimt.compiler.include_paths import is_toolkit
from cusimt.compiler.toolkit import cuda_home
from cusimt.gpu_models import architecture
from cusimt.support.cache import cache_root
from cusimt.support.toolchain import ninja

__all__ = ["redirect"]

_MODULE = "torch.utils.cpp_extension"


def redirect(checked: bool) -> None:
    """Let cpp_extension build for the simulated GPU, here and in the processes that this one starts."""
    home = cuda_home(checked)
    os.environ["CUDA_HOME"] = str(home)
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", f"{architecture() / 100:.1f}")
    # What tests compile is kept apart from what was compiled for a GPU, and with other checks.
    extensions = cache_root() / "extensions" / ("checked" if checked else "unchecked")
    os.environ.setdefault("TORCH_EXTENSIONS_DIR", str(extensions))
    # Build scripts that look for nvcc themselves; and the ninja of an environment that was not activated.
    _prepend("PATH", home / "bin")
    _append("PATH", ninja().parent)
    os.environ["CUDACXX"] = str(home / "bin/nvcc")  # CMake
    # Programs that are linked by hand or by CMake name the runtime without saying where it is.
    _prepend("LD_LIBRARY_PATH", libraries.solver_library().parent)
    _prepend("LD_LIBRARY_PATH", libraries.runtime_library().parent)
    if _MODULE in sys.modules:
        _patch(sys.modules[_MODULE], home)
    else:
        sys.meta_path.insert(0, _PatchOnImport(home))


def _prepend(variable: str, folder: Path) -> None:
    folders = [str(folder), *filter(None, os.environ.get(variable, "").split(os.pathsep))]
    os.environ[variable] = os.pathsep.join(dict.fromkeys(folders))


def _append(variable: str, folder: Path) -> None:
    folders = [*filter(None, os.environ.get(variable, "").split(os.pathsep)), str(folder)]
    os.environ[variable] = os.pathsep.join(dict.fromkeys(folders))


def _patch(module: Any, home: Path) -> None:
    include_paths, build_extensions = module.include_paths, module.BuildExtension.build_extensions

    def ours_first(*args: Any, **kwargs: Any) -> list[str]:
        """torch's answer, with the simulated toolkit's headers first: some replace torch's CUDA headers."""
        found: list[str] = include_paths(*args, **kwargs)
        ours = str(home / "include")
        return [ours, *(path for path in found if path != ours)] if ours in found else found

    def with_one_toolkit(command: Any) -> None:
        """Build without the folders of a real toolkit, which some setup.py name outright."""
        for extension in command.extensions:
            extension.include_dirs = _of_one_toolkit(extension.include_dirs, home / "include", is_toolkit)
            extension.library_dirs = _of_one_toolkit(extension.library_dirs, home / "lib64", _has_cudart)
        build_extensions(command)

    module.CUDA_HOME = str(home)
    module.include_paths = ours_first
    module.BuildExtension.build_extensions = with_one_toolkit


def _of_one_toolkit(folders: list[str], ours: Path, is_of_toolkit: Callable[[Path], bool]) -> list[str]:
    return [folder for folder in folders if Path(folder) == ours or not is_of_toolkit(Path(folder))]


def _has_cudart(folder: Path) -> bool:
    return any(folder.glob("libcudart*"))


class _PatchOnImport(importlib.abc.MetaPathFinder):
    """Patches cpp_extension when it is imported; importing it here would cost every program half a second."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module
            home = self.home

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _patch(module, home)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
