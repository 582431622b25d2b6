"""The facts that make a verdict reproducible."""

from __future__ import annotations

import importlib.metadata
import platform

from grader.course.catalog import Exercise


def versions_of(exercise: Exercise) -> dict[str, str]:
    """What an answer may depend on. Reads package metadata only, imports nothing."""
    return {
        "exercise": str(exercise.version),
        "cu2grad": _installed("cu2grad"),
        "python": platform.python_version(),
        "torch": _installed("torch"),
    }


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "from source"
