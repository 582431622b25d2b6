"""Compiles exercises and extensions: `build` for the grader, `load` for programs."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.compilation.artifact import Artifact
    from grader.compilation.builder import build
    from grader.compilation.devices import detect_backend
    from grader.compilation.loading import load, preload
    from grader.compilation.request import BuildRequest

__all__ = ["Artifact", "BuildRequest", "build", "detect_backend", "load", "preload"]
_MODULES = {
    "Artifact": "artifact",
    "BuildRequest": "request",
    "build": "builder",
    "detect_backend": "devices",
    "load": "loading",
    "preload": "loading",
}


def __getattr__(name: str) -> Any:
    """Import the parts of the public face when they are first used: a worker loads, and never builds."""
    if name not in _MODULES:
        raise AttributeError(f"module 'grader.compilation' has no attribute {name!r}")
    return getattr(importlib.import_module(f"grader.compilation.{_MODULES[name]}"), name)
