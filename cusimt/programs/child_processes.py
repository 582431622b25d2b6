"""Gives the Pythons that a simulated program starts the simulated device, too.

Build back ends (`pip install .`), launchers (`torchrun`), spawned workers and test runners start Pythons of
their own. They find `startup/sitecustomize.py` on PYTHONPATH, which installs an import hook: the device is
put in place just before such a process imports torch. A process that never does pays nothing.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from cusimt.folders import IMPORT_FOLDER

__all__ = ["is_simulated_process"]

_STARTUP = Path(__file__).parent / "startup"


def export_to_children() -> None:
    """Set PYTHONPATH so that child processes find the simulated device."""
    folders = [str(_STARTUP), str(IMPORT_FOLDER), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, folders)))


def is_simulated_process() -> bool:
    """Whether this process is a simulated program, or was started by one."""
    return str(_STARTUP) in os.environ.get("PYTHONPATH", "").split(os.pathsep)


def install_import_hook() -> None:
    """Put the simulated device in place as soon as this process imports torch."""
    sys.meta_path.insert(0, _BeforeTorch())


class _BeforeTorch(MetaPathFinder):
    """Finds torch as other finders do, and puts the device in place before it is executed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "torch":
            return None
        position = sys.meta_path.index(self)
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec("torch")
        finally:
            sys.meta_path.insert(position, self)  # find_spec does not mean that it will be imported
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = functools.partial(  # type: ignore[method-assign]
                self._execute, spec.loader.exec_module
            )
        return spec

    def _execute(self, torch_itself: Callable[[ModuleType], None], torch: ModuleType) -> None:
        from cusimt.activate import torch_import
        from cusimt.compiler.extension import redirect
        from cusimt.compiler.nvcc import checks_wanted

        sys.meta_path.remove(self)
        with torch_import():
            torch_itself(torch)
        redirect(checks_wanted())
