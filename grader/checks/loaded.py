"""A submission in a worker, for commands that run it without judging it: `grader profile`, `grader bench`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.checks import build as building
from grader.checks import todo
from grader.checks.outcome import Outcome
from grader.checks.results import Progress
from grader.course.stubs import open_todos
from grader.run.zygote_handle import Zygote
from grader.support.errors import SubmissionError

if TYPE_CHECKING:
    from grader.course.catalog import Exercise
    from grader.run.session import Session
    from grader.support.backends import Backend


@dataclass(frozen=True)
class Refusal:
    """What is said of a submission that cannot run: the ``rule``, and the command that judges it."""

    rule: str
    check: str

    def of(self, outcome: Outcome) -> SubmissionError:
        """The error, in the words of `grader check`."""
        return SubmissionError("\n".join((outcome.sentence, *outcome.lines)), self.rule, f"Run: {self.check}")


def require_begun(exercise: Exercise, files: Path, refusal: Refusal) -> None:
    """Raise SubmissionError where nothing is written yet; what is to be repaired runs as it is."""
    left = todo.check(exercise, files)
    if left is not None and not exercise.is_repair and todo.untouched(exercise, open_todos(exercise, files)):
        raise refusal.of(left)


@contextmanager
def loaded(
    exercise: Exercise, files: Path, backend: Backend, zygote: Zygote, refusal: Refusal, progress: Progress
) -> Iterator[Session]:
    """The submission in ``files``: audited, built and loaded into a worker of ``zygote``.

    Raises SubmissionError where it is refused or does not build.
    """
    built = building.compile_submission(
        exercise, files, backend, "", verbose=False, stage=progress, quick=backend == "cuda"
    )
    if isinstance(built, Outcome):
        raise refusal.of(built)
    op_file = files / "op.py"
    with zygote.spawn_worker() as session:
        session.load(built, op_file if op_file.is_file() else None, files)
        yield session
