"""Grade one submission to its record: the unit of work on one machine or a thousand."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cusimt.support.cache import cache_root
from cusimt.support.locks import hold
from cusimt.support.scratch import scratch
from grader.course.catalog import Exercise
from grader.instruct.results import Key, Record, ResultStore, files_digest, key_of
from grader.instruct.submissions import Submission, lay_out, look
from grader.support import machine
from grader.support.errors import InfrastructureError
from grader.support.gpus import visible_gpus
from grader.verdict import CheckResult, Status, Verdict

if TYPE_CHECKING:
    from grader.support.backends import Backend


@dataclass(frozen=True)
class Item:
    """One submission, what it is graded on, and the key of its record."""

    submission: Submission
    exercise: Exercise
    backend: Backend
    key: Key


@dataclass(frozen=True)
class Failed:
    """What kept a lane from a verdict although the machine was all right: an exercise at fault, mostly."""

    sentence: str


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
    seed: int | None = None, isolate: bool = True, judge: Judge | None = None,
    spool: Path | None = None, attempt: int = 1, regrade: bool = False,
) -> Record:  # fmt: skip
    """The record of ``submission``: the one in ``store``, or else a new one, which is there afterwards.

    Without ``seed`` it follows from the store's secret. ``judge`` grades what is laid out in a
    folder of its own below ``spool``. ``regrade`` grades although there is a record, which is superseded.
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
        verdict = _judge(
            submission, exercise, key, judge or _fresh(), spool, isolate=isolate,
            seed=store.secret.seed(key) if seed is None else seed, owner=pseudonym,
        )  # fmt: skip
        attempt = max(attempt, earlier.attempt + 1 if earlier else 1)
        record = Record.now(key, verdict, attempt, after=store.log.newest())
        if verdict.status is not Status.INFRA_ERROR:
            record = store.replace(record) if earlier else store.keep(record)
        store.log.append(record, pseudonym)
        return record


def _judge(
    submission: Submission, exercise: Exercise, key: Key, judge: Judge, spool: Path | None, *, seed: int,
    isolate: bool, owner: str,
) -> Verdict:  # fmt: skip
    from grader.checks.build import compile_submission

    backend = key.backend
    try:
        with scratch("hand-in", spool) as place, contextlib.ExitStack() as exclusive:
            handed = look(submission, exercise).files
            _require_unchanged(handed, key)
            files = lay_out(handed, exercise, place / exercise.slug)
            if backend == "cuda":
                # While another submission has the GPU.
                compile_submission(exercise, files, backend, owner, verbose=False, isolate=isolate)
                exclusive.enter_context(exclusive_gpu())
            verdict = judge(exercise, files, backend=backend, seed=seed, isolate=isolate, owner=owner)
    except InfrastructureError as fault:
        return not_judged(exercise, backend, seed, str(fault))
    except OSError as error:
        if (blame := machine.fault_of(error)) is None:
            raise
        return not_judged(exercise, backend, seed, str(blame))
    # Where it lay says nothing to anybody now, and nothing of it may tell whose it is.
    return replace(verdict, files=f"exercises/{exercise.slug}")


def _require_unchanged(files: Mapping[str, bytes], key: Key) -> None:
    """Grade exactly the files of the key, even if the student submits again meanwhile."""
    if files_digest(files) != key.digest:
        raise InfrastructureError(
            "The files changed while they were being read.",
            "A verdict is about one state of them.",
            "Run it again when nothing is being handed in any more.",
        )


def not_judged(exercise: Exercise, backend: Backend, seed: int, sentence: str) -> Verdict:
    """A verdict that says what the machine could not do; none of it counts against the submission."""
    check = CheckResult("build", Status.INFRA_ERROR, sentence)
    return Verdict(exercise.slug, exercise.title, backend, seed, (check,), f"exercises/{exercise.slug}")


def _fresh() -> Judge:
    from grader.checks import grade

    return grade


@contextlib.contextmanager
def exclusive_gpu(locks: Path | None = None) -> Iterator[None]:
    """Lock every GPU that this process sees, waiting for their holders. Nothing happens without a GPU.

    ``locks`` is a folder that all who share the GPUs agree on: by default one of this user's cache. Not
    reentrant.
    """
    folder = locks or cache_root() / "locks"
    uuids = sorted(gpu.uuid for gpu in visible_gpus())  # one order, so that two cannot wait in a ring
    with contextlib.ExitStack() as held:
        for uuid in uuids:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(hold(folder / uuid.replace("/", "-")))
        yield
