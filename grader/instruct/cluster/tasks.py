"""What a worker is sent: one submission, by reference, and what it does with it.

Both functions find their input in folders that all machines share, and leave their result in the store, so
that running one twice, or half, changes nothing.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import GraderError
from grader.exercise import Exercise
from grader.instruct.results import Record, ResultStore
from grader.instruct.submissions import Submission

if TYPE_CHECKING:
    from grader.build.request import Backend


@dataclass(frozen=True)
class Task:
    """One submission to be graded; ``results`` is the folder of the store."""

    submission: Submission
    exercise: Exercise
    results: Path
    backend: Backend
    isolate: bool = True
    regrade: bool = False

    @property
    def name(self) -> str:
        return f"{self.exercise.slug}/{self.submission.student}"


def build(task: Task) -> None:
    """Compile into the cache that all machines share. Needs no GPU. What goes wrong, grading finds again."""
    from grader.instruct.batch import build_one

    store = ResultStore(task.results)
    with contextlib.suppress(GraderError):
        build_one(task.submission, task.exercise, store, backend=task.backend, isolate=task.isolate)


def grade(task: Task, built: None = None) -> Record:
    """Grade, unless it is graded already; what is timed has its GPU to itself. ``built`` was waited for."""
    from grader.instruct.batch import grade_one

    return grade_one(
        task.submission,
        task.exercise,
        ResultStore(task.results),
        backend=task.backend,
        isolate=task.isolate,
        regrade=task.regrade,
    )
