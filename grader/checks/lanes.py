"""Lanes: one zygote that grades many submissions, one after another.

    with open_lane("simt", spool, exercises) as zygote:
        for submission in submissions:             # its files staged below `spool`
            grade(exercise, files, backend="simt", isolate=True, owner=..., zygote=zygote)

torch is then imported once for all of them, which is most of a short grading. The submissions do not see each
other: what keeps them apart is in :mod:`grader.run.zygote_handle` and on the page about trust.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.checks.registry import worker_modules
from grader.course.exercise import Exercise
from grader.run import canary
from grader.run.limits import Limits
from grader.run.zygote_handle import Zygote
from grader.support.backends import Backend


def open_lane(
    backend: Backend, spool: Path, exercises: Iterable[Exercise], *, isolate: bool = True,
    limits: Limits | None = None, ahead: bool = True, lazy: bool = False,
) -> Zygote:  # fmt: skip
    """A zygote for submissions of `exercises` that will lie below the folder `spool`, which must exist.

    Returns at once. One lane grades one submission at a time, and has its spool for itself. Without ``ahead``
    it opens the GPU only while it grades, for whom others are to have it to themselves. A ``lazy`` one ends
    workers while nobody waits for it.

    Raises InfrastructureError when bubblewrap is needed and missing.
    """
    exercises = list(exercises)
    # The folders of exercises are for programs of their questions, not for learners.
    return Zygote.start(
        backend, isolate, readable=[exercise.root for exercise in exercises], spool=spool,
        modules=worker_modules(exercises, backend), limits=limits, ahead=ahead, lazy=lazy,
    )  # fmt: skip


@contextlib.contextmanager
def cleared(zygote: Zygote) -> Iterator[Zygote]:
    """A zygote that is lent: whatever the submission did, none of it is left for the next.

    Raises InfrastructureError where an earlier one left a GPU that fails.
    """
    try:
        with canary.guarded(zygote):
            yield zygote
    finally:
        zygote.clear()


def place_in(zygote: Zygote, files: Path, backend: Backend, isolate: bool) -> Path:
    """The folder as the lane sees it, without links; raises ValueError for one that it does not see."""
    if zygote.spool is None or not files.resolve().is_relative_to(zygote.spool):
        raise ValueError(f"{files} is not below the spool of the lane, {zygote.spool}")
    if (zygote.backend, zygote.isolate) != (backend, isolate):
        raise ValueError(f"a lane for {zygote.backend}, isolate={zygote.isolate}, was asked for another")
    return files.resolve()
