"""Import nbgrader, which is optional, or say what to install."""

from __future__ import annotations

import importlib.util

from grader.support.errors import UsageError

CONFIG = "nbgrader_config.py"  # in the folder of a class that uses nbgrader


def require_nbgrader() -> None:
    """Raises UsageError where nbgrader is missing."""
    if importlib.util.find_spec("nbgrader") is None:
        raise UsageError(
            "nbgrader is not installed.",
            "Notebooks of a class are made for it.",
            "Run: pip install 'cu2grad[instructor]'",
        )
