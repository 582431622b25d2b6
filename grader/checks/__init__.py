"""Judging a submission: one module per check, and :func:`grade`, which runs them all.

Importing this package does not import torch; grading does, while the build is running.
"""

from grader.checks.grading import Progress, grade

__all__ = ["Progress", "grade"]
