"""Python processes that a simulated program starts have the simulated device too.

Build back ends (`pip install .`), launchers (`torchrun`), spawned workers and test runners start Pythons of
their own. They find `startup/sitecustomize.py` on PYTHONPATH, which arms this module: when such a process
imports torch, the device is put in place first. A process that never does pays for nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

_STARTUP = Path(__file__).parent / "startup"
_PACKAGES = Path(__file__).parents[2]


def announce() -> None:
    """Let the processes that this one starts find the simulated device."""
    folders = [str(_STARTUP), str(_PACKAGES), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, folders)))


def arm() -> None:
    """Put the simulated device in place as soon as this process imports torch."""
    sys.meta_path.insert(0, _BeforeTorch())


class _BeforeTorch(MetaPathFinder):
    """Answers the first import of torch with a torch that already has the device."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "torch":
            return None
        sys.meta_path.remove(self)
        _activate()
        module = sys.modules["torch"]
        spec = ModuleSpec("torch", _Present(module))
        module.__spec__ = spec  # else the import goes on with torch's own loader, for a second time
        return spec


class _Present(Loader):
    """Stands for a module that has been imported meanwhile."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


def _activate() -> None:
    import atexit

    from grader.simt.activate import activate
    from grader.simt.extension import redirect
    from grader.simt.nvcc import checks_wanted
    from grader.simt.program import report_findings

    activate()
    redirect(checks_wanted())
    if checks_wanted():
        atexit.register(report_findings)
