"""Imported at startup by every Python that a simulated program starts: see ../child_processes.py."""

import contextlib
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

# The environment may have a sitecustomize of its own, which this one hides.
_here = Path(__file__).resolve().parent
_hidden = PathFinder.find_spec("sitecustomize", [path for path in sys.path if Path(path).resolve() != _here])
if _hidden is not None and _hidden.loader is not None:
    _hidden.loader.exec_module(module_from_spec(_hidden))

with contextlib.suppress(ImportError):  # another Python, which has no grader
    from cusimt.programs.child_processes import install_import_hook

    install_import_hook()
