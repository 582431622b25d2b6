"""Judging a submission: one module per check, and :func:`grade`, which runs them all.

Importing this package does not import torch; grading does, while the build is running.
"""

from grader.checks.grading import grade
from grader.checks.results import Progress

__all__ = ["Progress", "grade"]
