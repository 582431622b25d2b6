"""Every error that the simulator raises on purpose, and the exit code that belongs to it.

    ExplainedError                   3
    ├── UsageError                   2   the command is wrong
    ├── InfrastructureError          3   this machine cannot do it
    │   └── ToolchainError               missing compiler, header or tool
    └── TranslationError             1   CUDA that the simulator does not run (cusimt.translate)

An error is three sentences: what happened, the rule behind it, and the next command. They are printed
without a traceback.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = ["ExplainedError", "InfrastructureError", "ToolchainError", "UsageError"]


class ExplainedError(Exception):
    """What happened (`what`), why that is refused (`rule`), and what to run or change (`next`)."""

    exit_code: ClassVar[int] = 3

    def __init__(self, what: str, rule: str = "", next: str = "") -> None:
        super().__init__(what, rule, next)
        self.what = what
        self.rule = rule
        self.next = next

    def __str__(self) -> str:
        return " ".join(sentence for sentence in (self.what, self.rule, self.next) if sentence)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a notebook in the place of a traceback."""
        return [sentence for sentence in (self.what, self.rule, self.next) if sentence]


class UsageError(ExplainedError):
    """The command line, or the folder it points at, is not usable as it stands."""

    exit_code = 2


class InfrastructureError(ExplainedError):
    """Something outside the program under test failed."""

    exit_code = 3


class ToolchainError(InfrastructureError):
    """A compiler, a header or a tool that the build needs is missing or too old."""
