"""Grade one submission to its record: the unit of work on one machine or a thousand."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cusimt.support.scratch import scratch
from grader.course.catalog import Exercise
from grader.instruct.batch.gpus import exclusive_gpu
from grader.instruct.results import Key, Record, ResultStore, content_digest, key_of
from grader.instruct.submissions import Submission, stage
from grader.support import machine
from grader.support.errors import InfrastructureError
from grader.support.gpus import visible_gpus
from grader.verdict import CheckResult, Status, Verdict

if TYPE_CHECKING:
    from grader.support.backends import Backend


class Judge(Protocol):
    """What turns files into a verdict: :func:`grader.checks.grade`, or a lane that keeps its zygote."""

    def __call__(
        self,
        exercise: Exercise,
        files: Path,
        *,
        backend: Backend,
        seed: int | None,
        isolate: bool,
        owner: str,
    ) -> Verdict: ...


def batch_key(submission: Submission, exercise: Exercise, backend: Backend) -> Key:
    """The key under which this machine grades ``submission``."""
    gpus = visible_gpus() if backend == "cuda" else ()
    return key_of(submission, exercise, backend, gpus[0].name if gpus else "")


def grade_one(
    submission: Submission, exercise: Exercise, store: ResultStore, *, backend: Backend,
    seed: int | None = None, isolate: bool = True, owner: str = "", judge: Judge | None = None,
    spool: Path | None = None, attempt: int = 1, regrade: bool = False, built_seconds: float = 0.0,
) -> Record:  # fmt: skip
    """The record of ``submission``: the one in ``store``, or else a new one, which is there afterwards.

    Without ``seed`` and ``owner`` both follow from the store's secret. ``judge`` grades what is laid out in a
    folder of its own below ``spool``. ``regrade`` grades although there is a record, which is superseded.
    ``built_seconds`` is what :func:`build_one` took for it.
    A verdict of ``infra_error`` is logged and returned, never kept.

    Raises what :func:`grader.checks.grade` raises.
    """
    key = batch_key(submission, exercise, backend)
    if not regrade and (found := store.find(key)) is not None:
        return found
    with store.claim(key):
        earlier = store.find(key)  # again: the claim's previous holder may have graded it
        if earlier is not None and not regrade:
            return earlier
        pseudonym = store.secret.pseudonym(submission.student)
        verdict, built_here = _judge(
            submission, exercise, key, judge or _fresh(), spool, isolate=isolate,
            seed=store.secret.seed(key) if seed is None else seed, owner=owner or pseudonym,
        )  # fmt: skip
        attempt = max(attempt, earlier.attempt + 1 if earlier else 1)
        record = Record.now(key, verdict, attempt, built_seconds + built_here, after=store.log.newest())
        if verdict.status is not Status.INFRA_ERROR:
            record = store.replace(record) if earlier else store.keep(record)
        store.log.append(record, pseudonym)
        return record


def build_one(
    submission: Submission, exercise: Exercise, store: ResultStore, *, backend: Backend,
    isolate: bool = True, owner: str = "",
) -> float:  # fmt: skip
    """Compile ``submission`` into the build cache, as :func:`grade_one` will look for it; needs no GPU.

    Returns the seconds of processors that it took. What does not compile is nothing to tell here: grading
    finds it again.
    """
    with scratch("build") as place:
        files = stage(submission, exercise, place / exercise.slug)
        owner = owner or store.secret.pseudonym(submission.student)
        return _compile(exercise, files, backend, isolate, owner)


def _judge(
    submission: Submission, exercise: Exercise, key: Key, judge: Judge, spool: Path | None, *, seed: int,
    isolate: bool, owner: str,
) -> tuple[Verdict, float]:  # fmt: skip
    """The verdict, and the seconds of processors that compiling took before the GPU was held."""
    built_seconds = 0.0
    backend = key.backend
    try:
        with scratch("hand-in", spool) as place, contextlib.ExitStack() as exclusive:
            files = stage(submission, exercise, place / exercise.slug)
            _require_unchanged(replace(submission, folder=files), exercise, key)
            if backend == "cuda":
                # While another submission has the GPU.
                built_seconds = _compile(exercise, files, backend, isolate, owner)
                exclusive.enter_context(exclusive_gpu())
            verdict = judge(exercise, files, backend=backend, seed=seed, isolate=isolate, owner=owner)
    except InfrastructureError as fault:
        return not_judged(exercise, backend, seed, str(fault)), built_seconds
    except OSError as error:
        if (blame := machine.fault_of(error)) is None:
            raise
        return not_judged(exercise, backend, seed, str(blame)), built_seconds
    # Where it lay says nothing to anybody now, and nothing of it may tell whose it is.
    return replace(verdict, files=f"exercises/{exercise.slug}"), built_seconds


def _require_unchanged(staged: Submission, exercise: Exercise, key: Key) -> None:
    """Grade exactly the files of the key, even if the student submits again meanwhile."""
    if content_digest(staged, exercise) != key.digest:
        raise InfrastructureError(
            "The files changed while they were being read.",
            "A verdict is about one state of them.",
            "Run it again when nothing is being handed in any more.",
        )


def not_judged(exercise: Exercise, backend: Backend, seed: int, sentence: str) -> Verdict:
    """A verdict that says what the machine could not do; none of it counts against the submission."""
    check = CheckResult("build", Status.INFRA_ERROR, sentence)
    return Verdict(exercise.slug, exercise.title, backend, seed, (check,), f"exercises/{exercise.slug}")


def _compile(exercise: Exercise, files: Path, backend: Backend, isolate: bool, owner: str) -> float:
    """Into the build cache; returns the seconds of processors, those of the compilers included."""
    from grader.checks.build import compile_submission

    before = _processor_seconds()
    compile_submission(exercise, files, backend, owner, verbose=False, isolate=isolate)
    return _processor_seconds() - before


def _processor_seconds() -> float:
    """Of this process, and of its children that have ended."""
    return sum(os.times()[:4])


def _fresh() -> Judge:
    from grader.checks import grade

    return grade
