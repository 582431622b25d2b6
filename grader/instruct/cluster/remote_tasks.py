"""The task of a remote worker: one submission, by reference, to its record.

Input lies in folders that all machines share, and the result goes into the store there; so a task that is
run twice, or half, changes nothing.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.catalog import Catalog, Exercise
from grader.instruct.batch import Failed, Judge, LaneSettings, build_one
from grader.instruct.batch.lane import Lane, Task
from grader.instruct.results import Record, ResultStore
from grader.instruct.submissions import Submission
from grader.support.errors import ExplainedError
from grader.support.gpus import visible_gpus
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.support.backends import Backend

_LONGEST_PAUSE_SECONDS = 60.0


@dataclass(frozen=True)
class Terms:
    """What all tasks of a batch have in common. ``device`` is the GPU model of record, "" without one."""

    course: Path
    results: Path
    isolate: bool = True
    regrade: bool = False
    device: str = ""
    judge: Judge | None = None


@dataclass(frozen=True)
class RemoteTask:
    """Grade ``submission``, for the ``attempt``-th time."""

    terms: Terms
    submission: Submission
    backend: Backend
    attempt: int = 1


def build(sent: RemoteTask) -> float:
    """Compile into the cache that all machines share; returns the seconds of processors that it took.

    Needs no GPU. What goes wrong, grading finds again.
    """
    terms, submission = sent.terms, sent.submission
    with contextlib.suppress(ExplainedError):
        return build_one(
            submission,
            _exercise(terms, submission.exercise),
            ResultStore(terms.results),
            backend=sent.backend,
            isolate=terms.isolate,
        )
    return 0.0


def grade(sent: RemoteTask, built_seconds: float = 0.0) -> Record | Failed:
    """Grade, unless it is graded already; what is timed has its GPU to itself. ``built_seconds`` is what
    :func:`build` returned.
    """
    terms, submission = sent.terms, sent.submission
    if sent.backend == "cuda" and (refusal := _wrong_model(terms)):
        return refusal
    exercise = _exercise(terms, submission.exercise)
    task = Task(0, submission, exercise, sent.backend, sent.attempt, built_seconds)
    answer = _lane(terms).grade(task)
    _pauses.after(answer)
    return answer


class _Pauses:
    """A machine that fails everything would be free again at once, and draw in what others could grade."""

    def __init__(self) -> None:
        self._failures = 0

    def after(self, answer: Record | Failed) -> None:
        """Wait, the longer the more gradings in a row this machine failed."""
        judged = not isinstance(answer, Record) or answer.verdict.status is not Status.INFRA_ERROR
        self._failures = 0 if judged else self._failures + 1
        if self._failures:
            time.sleep(min(2.0**self._failures, _LONGEST_PAUSE_SECONDS))


_pauses = _Pauses()


@lru_cache(maxsize=1)
def _lane(terms: Terms) -> Lane:
    """This worker's lane, for as long as it lives: torch is imported once, and the zygote stays."""
    return Lane(
        LaneSettings(terms.results, _catalog(terms).exercises, terms.isolate, "", terms.judge, terms.regrade)
    )


@lru_cache(maxsize=1)
def _catalog(terms: Terms) -> Catalog:
    return Catalog.open(terms.course)


def _exercise(terms: Terms, slug: str) -> Exercise:
    return _catalog(terms).find(slug)


@lru_cache(maxsize=1)
def _wrong_model(terms: Terms) -> Failed | None:
    """Marks for speed are comparable on one model alone; the store's keys carry it."""
    models = [gpu.name for gpu in visible_gpus()] or ["no GPU"]
    if models == [terms.device]:
        return None
    return Failed(
        f"A GPU block has {', '.join(models)}, and cluster.toml says model = {terms.device!r}. "
        "Points for speed are given on one model, and by one GPU for each block."
    )
