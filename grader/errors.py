"""Every error that the grader raises on purpose, and the exit code that belongs to it.

    GraderError                      3
    ├── UsageError                   2   the command or the course folder is wrong
    │   ├── UnknownExercise
    │   ├── BrokenExercise               exercise.toml, markers, mutants.toml
    │   └── BrokenSpec                   spec.py
    ├── InfrastructureError          3   this machine cannot do it; never a learner's fault
    │   └── ToolchainError               missing compiler, header or tool
    └── SubmissionError              1   the learner's code was at fault
        └── BuildFailed                  the compiler refused it

An error is three sentences: what happened, the rule behind it, and the next command. They are printed
without a traceback.
"""

from __future__ import annotations

from typing import ClassVar


class GraderError(Exception):
    """What happened (``what``), why that is refused (``rule``), and what to run or change (``next``)."""

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


class UsageError(GraderError):
    """The command line, or the course folder it points at, is not usable as it stands."""

    exit_code = 2


class UnknownExercise(UsageError):
    """No exercise has the number, slug or path that was asked for."""


class BrokenExercise(UsageError):
    """An ``exercise.toml``, a section marker or a ``mutants.toml`` breaks the rules of an exercise folder."""


class BrokenSpec(UsageError):
    """A ``spec.py`` cannot be loaded or does not define what a spec must define."""


class InfrastructureError(GraderError):
    """Something outside the submission failed: it becomes ``infra_error`` in a verdict and never a zero."""

    exit_code = 3


class ToolchainError(InfrastructureError):
    """A compiler, a header or a tool that the build needs is missing or too old."""


class SubmissionError(GraderError):
    """The learner's code was at fault; the verdict says where. ``printed`` is what it wrote until then."""

    exit_code = 1
    printed = ""


class BuildFailed(SubmissionError):
    """The compiler refused the submission.

    ``diagnostics`` holds the lines about the learner's own files, ``log`` the compiler's full output.
    """

    def __init__(
        self, what: str, rule: str = "", next: str = "", *, diagnostics: str = "", log: str = ""
    ) -> None:
        super().__init__(what, rule, next)
        self.diagnostics = diagnostics
        self.log = log
