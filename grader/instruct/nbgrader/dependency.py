"""Import nbgrader, which is optional, or say what to install."""

from __future__ import annotations

import importlib.metadata

from grader.support.errors import UsageError

CONFIG = "nbgrader_config.py"  # in the folder of a class that uses nbgrader
OLDEST = (0, 9, 6)  # the oldest that this is tried with


def require_nbgrader() -> None:
    """Raises UsageError where nbgrader is missing or older than ``OLDEST``."""
    try:
        version = importlib.metadata.version("nbgrader")
    except importlib.metadata.PackageNotFoundError:
        raise _lacking("nbgrader is not installed.") from None
    if tuple(int(part) for part in version.split(".")[:3] if part.isdecimal()) < OLDEST:
        raise _lacking(f"nbgrader {version} is installed.")


def _lacking(what: str) -> UsageError:
    oldest = ".".join(map(str, OLDEST))
    return UsageError(
        what,
        f"Notebooks of a class are made for nbgrader {oldest} or newer.",
        "Run: pip install 'cu2grad[instructor]'",
    )
