"""Judging a submission: one module per check, and :func:`grade`, which runs them all.

Importing this package does not import torch; grading does, while the build is running.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.checks.grading import grade
    from grader.checks.results import Progress

__all__ = ["Progress", "grade"]


def __getattr__(name: str) -> Any:
    """Import the parts of the public face when they are first used: a worker's part of a check needs none."""
    if name == "grade":
        from grader.checks.grading import grade

        return grade
    if name == "Progress":
        from grader.checks.results import Progress

        return Progress
    raise AttributeError(f"module 'grader.checks' has no attribute {name!r}")
