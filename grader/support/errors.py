"""Every error that the grader raises on purpose, and the exit code that belongs to it.

    ExplainedError                   3
    ├── UsageError                   2   the command or the course folder is wrong
    │   ├── UnknownExercise
    │   ├── BrokenExercise               exercise.toml, markers, mutants.toml
    │   └── BrokenSpec                   spec.py
    ├── InfrastructureError          3   this machine cannot do it: becomes `infra_error`, never a zero
    │   └── ToolchainError               missing compiler, header or tool
    └── SubmissionError              1   the learner's code was at fault
        └── BuildFailed                  the compiler refused it

The first four of them are the simulator's, too.
"""

from __future__ import annotations

from cusimt.support.errors import ExplainedError, InfrastructureError, ToolchainError, UsageError

__all__ = [
    "BrokenExercise",
    "BrokenSpec",
    "BuildFailed",
    "ExplainedError",
    "InfrastructureError",
    "SubmissionError",
    "ToolchainError",
    "UnknownExercise",
    "UsageError",
]


class UnknownExercise(UsageError):
    """No exercise has the number, slug or path that the user named."""


class BrokenExercise(UsageError):
    """An `exercise.toml`, a section marker or a `mutants.toml` breaks the rules of an exercise folder."""


class BrokenSpec(UsageError):
    """A `spec.py` cannot be loaded or does not define what a spec must define."""


class SubmissionError(ExplainedError):
    """The learner's code was at fault; the verdict says where. `printed` is what it wrote until then."""

    exit_code = 1
    printed = ""


class BuildFailed(SubmissionError):
    """The compiler refused the submission.

    `diagnostics` holds the lines about the learner's own files, `log` the compiler's full output.
    """

    def __init__(
        self, what: str, rule: str = "", next: str = "", *, diagnostics: str = "", log: str = ""
    ) -> None:
        super().__init__(what, rule, next)
        self.diagnostics = diagnostics
        self.log = log
