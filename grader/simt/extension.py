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
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.simt import native
from grader.simt.models import architecture
from grader.simt.toolkit import cuda_home
from grader.toolchain import ninja

_MODULE = "torch.utils.cpp_extension"


def redirect(checked: bool) -> None:
    """Let cpp_extension build for the simulated GPU, here and in the processes that this one starts."""
    home = cuda_home(checked)
    os.environ["CUDA_HOME"] = str(home)
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", f"{architecture() / 100:.1f}")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if str(ninja().parent) not in folders:  # the ninja of an environment that was not activated
        os.environ["PATH"] = os.pathsep.join([*folders, str(ninja().parent)])
    # Programs that are linked by hand or by CMake name the runtime without saying where it is.
    libraries = [str(native.runtime_library().parent), os.environ.get("LD_LIBRARY_PATH", "")]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, libraries))
    if _MODULE in sys.modules:
        _patch(sys.modules[_MODULE], home)
    else:
        sys.meta_path.insert(0, _PatchOnImport(home))


def _patch(module: Any, home: Path) -> None:
    original = module.include_paths

    def include_paths(*args: Any, **kwargs: Any) -> list[str]:
        """torch's answer, with the simulated toolkit's headers first: some replace torch's CUDA headers."""
        found: list[str] = original(*args, **kwargs)
        ours = str(home / "include")
        return [ours, *(path for path in found if path != ours)] if ours in found else found

    module.CUDA_HOME = str(home)
    module.include_paths = include_paths


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
