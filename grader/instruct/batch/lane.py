"""A lane of a batch: a process that grades one submission after another and keeps its zygote warm.

torch is imported once for all of them, here and, on simt, in the lane's zygote; on cuda each submission has
a zygote of its own, which is ready by the time the GPU is free. Learner code runs in the
workers of a zygote, never in this process; whatever ends it all the same costs the lane, not the batch.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from cusimt.support.scratch import scratch
from grader.course.exercise import Exercise
from grader.instruct.batch.grading import Failed, Item, Judge, grade_one
from grader.instruct.results import Record, ResultStore
from grader.run.limits import die_with_parent
from grader.support import machine
from grader.support.backends import Backend
from grader.support.errors import ExplainedError


@dataclass(frozen=True)
class LaneSettings:
    """What all submissions of a lane have in common.

    ``gpu`` is the UUID of the one that the lane uses, or "". ``judge`` replaces the real grading: importable
    by name, since it travels to another process.
    """

    results: Path
    exercises: tuple[Exercise, ...]
    isolate: bool
    gpu: str = ""
    judge: Judge | None = None
    regrade: bool = False


Answer = Record | Failed


def run(settings: LaneSettings, connection: Connection, driver: int, words: Path) -> None:
    """Grade what ``connection`` asks for until the driver closes it; what is printed goes to ``words``."""
    die_with_parent(driver)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends its lanes
    printed = os.open(words, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    for standard in (1, 2):
        os.dup2(printed, standard)
    if settings.gpu:  # before anything asks CUDA
        os.environ["CUDA_VISIBLE_DEVICES"] = settings.gpu
    with Lane(settings) as lane, contextlib.suppress(EOFError):
        while True:
            connection.send(lane.grade(*connection.recv()))


class Lane:
    """Grades in this process; the spool and the zygotes, one for each backend that is asked for, stay."""

    def __init__(self, settings: LaneSettings) -> None:
        self._settings = settings
        self._store = ResultStore(settings.results)
        self._open = contextlib.ExitStack()
        self._spool = self._open.enter_context(scratch("lane"))
        self._judges: dict[Backend, Judge] = {}

    def __enter__(self) -> Lane:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def grade(self, item: Item, attempt: int = 1) -> Answer:
        """The record of one submission, kept and logged; or what is wrong with its exercise or with us."""
        settings = self._settings
        try:
            return grade_one(
                item.submission, item.exercise, self._store, backend=item.backend, isolate=settings.isolate,
                judge=self._judge(item.backend), spool=self._spool_of(item.backend), attempt=attempt,
                regrade=settings.regrade,
            )  # fmt: skip
        except ExplainedError as error:
            return Failed(str(error))
        except OSError as error:
            fault = machine.fault_of(error)
            return Failed(str(fault)) if fault is not None else self._our_fault(error, item)
        except Exception as error:
            return self._our_fault(error, item)

    def _our_fault(self, error: Exception, item: Item) -> Failed:
        """A mistake in the grader: a sentence, and the traceback in a file for a report."""
        path = self._settings.results / "faults" / f"{item.exercise.slug}-{item.key.name[:12]}.txt"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)  # what a traceback quotes may be a learner's
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        return Failed(f"The grader itself failed; report it with {path}: {type(error).__name__}: {error}")

    def _spool_of(self, backend: Backend) -> Path:
        spool = self._spool / backend
        spool.mkdir(exist_ok=True)
        return spool

    def _judge(self, backend: Backend) -> Judge:
        if self._settings.judge is not None:
            return self._settings.judge
        if backend not in self._judges:
            self._judges[backend] = self._started(backend)
        return self._judges[backend]

    def _started(self, backend: Backend) -> Judge:
        from grader.checks import grade
        from grader.checks.lanes import open_lane

        settings = self._settings
        # A starting worker opens the GPU, which disturbs a submission that is timed on it.
        lane = open_lane(
            backend, self._spool_of(backend), settings.exercises, isolate=settings.isolate,
            ahead=backend != "cuda",
        )  # fmt: skip
        return functools.partial(grade, zygote=self._open.enter_context(lane))
