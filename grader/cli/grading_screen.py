"""Progress of a batch on stderr: a bar on a terminal, an occasional line in a log."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from cusimt.support.words import counted, noun
from grader.instruct.batch.driver import Ended, ItemOutcome
from grader.instruct.batch.estimate import Estimate
from grader.instruct.batch.plan import Item

_SILENCE_SECONDS = 10.0  # between lines where nothing moves


class BatchScreen:
    """A context manager around the grading, and the batch's Watch. ``plain``: nothing moves."""

    def __init__(self, jobs: int, *, plain: bool = False) -> None:
        self._jobs = jobs
        moving = sys.stderr.isatty() and not plain and os.environ.get("TERM") != "dumb"
        self._bar = Progress(
            TextColumn("Grading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"),
            console=Console(stderr=True), disable=not moving, transient=True,
        )  # fmt: skip
        self._moving = moving
        self._task: TaskID | None = None
        self._estimate = Estimate((), jobs)
        self._begun = self._said = time.monotonic()
        self._done = self._total = 0

    def __enter__(self) -> BatchScreen:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, left: Sequence[Item], found: int, same: int = 0) -> None:
        self._estimate, self._total = Estimate(left, self._jobs), len(left)
        before = f"; {found} are there from before" if found else ""
        shared = f"; {same} more {noun(same == 1, 'has', 'have')} the files of one of these" if same else ""
        self._say(f"{counted(self._total, 'submission')} to grade{before}{shared}.")
        if left:
            self._task = self._bar.add_task("", total=self._total, told="")

    def ended(self, ended: Ended) -> None:
        self._done += 1
        self._estimate.ended(ended.item.exercise.slug, ended.seconds)
        if self._task is not None:
            self._bar.update(self._task, completed=self._done, told=self._told())
        if not self._moving and time.monotonic() - self._said >= _SILENCE_SECONDS:
            self._say(f"{self._done} of {self._total} graded, {self._told()}.")

    def close(self, outcome: ItemOutcome) -> None:
        """What the whole took."""
        if self._total:
            minutes = outcome.seconds / 60
            rate = f", {outcome.graded / minutes:.0f} a minute" if outcome.graded else ""
            self._say(f"{outcome.graded} of {self._total} graded in {_duration(outcome.seconds)}{rate}.")

    def _told(self) -> str:
        rate = 60 * self._done / max(time.monotonic() - self._begun, 1e-3)
        left = self._estimate.seconds_left()
        return f"{rate:.0f} a minute" + (f", about {_duration(left)} left" if left else "")

    def _say(self, sentence: str) -> None:
        self._said = time.monotonic()
        self._bar.console.print(sentence, highlight=False, markup=False, soft_wrap=True)


def _duration(seconds: float) -> str:
    """As one would say it: ``40 s``, ``7 min``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
