"""What a learner sees in a notebook: `grade`, its `Report`, and the cells around them.

    %load_ext grader.notebook        # for %%exercise cells
    report = grader.grade("03")
    report.points("gradient")

Learner code never runs in the notebook's kernel. Importing this package imports neither torch nor IPython.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from grader.notebook.grading import grade
from grader.notebook.report import Report
from grader.notebook.setup import machine_sentence, setup_source

__all__ = ["Report", "grade", "load_ipython_extension", "machine_sentence", "setup_source"]


class Shell(Protocol):
    """What is needed of IPython, which is not there outside of notebooks."""

    def register_magic_function(
        self, func: Callable[[str, str], None], magic_kind: str, magic_name: str
    ) -> None: ...


def load_ipython_extension(shell: Shell) -> None:
    """Called by ``%load_ext grader.notebook``."""
    from grader.notebook.magic import exercise

    shell.register_magic_function(exercise, "cell", "exercise")
