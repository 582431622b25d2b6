"""A batch: its progress on stderr, a bar or an occasional line in a log; its summary on stdout."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from cusimt.support.words import counted, listed, noun
from grader.instruct.batch import Ended, Item, ItemOutcome
from grader.instruct.batch.summary import ExerciseSummary, Notice, Summary
from grader.verdict import Status

_SILENCE_SECONDS = 10.0  # between lines where nothing moves


class BatchScreen:
    """A context manager around the grading, and the batch's Watch. ``plain``: nothing moves."""

    def __init__(self, *, plain: bool = False) -> None:
        self._moving = sys.stderr.isatty() and not plain and os.environ.get("TERM") != "dumb"
        self._bar = Progress(
            BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), disable=not self._moving, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task("Grading", visible=False)
        self._said = time.monotonic()
        self._done = self._total = 0

    def __enter__(self) -> BatchScreen:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, left: Sequence[Item], found: int, same: int = 0) -> None:
        self._total = len(left)
        before = f"; {found} are there from before" if found else ""
        shared = f"; {same} more {noun(same == 1, 'has', 'have')} the files of one of these" if same else ""
        self._say(f"{counted(self._total, 'submission')} to grade{before}{shared}.")
        self._bar.update(self._task, total=self._total, visible=bool(left))

    def ended(self, ended: Ended) -> None:
        self._done += 1
        self._bar.update(self._task, completed=self._done)
        if not self._moving and time.monotonic() - self._said >= _SILENCE_SECONDS:
            self._say(f"{self._done} of {self._total} graded.")

    def close(self, outcome: ItemOutcome) -> None:
        """What the whole took."""
        if self._total:
            minutes = outcome.seconds / 60
            rate = f", {outcome.graded / minutes:.0f} a minute" if outcome.graded else ""
            self._say(f"{outcome.graded} of {self._total} graded in {minutes:.1f} min{rate}.")

    def _say(self, sentence: str) -> None:
        self._said = time.monotonic()
        self._bar.console.print(sentence, highlight=False, markup=False, soft_wrap=True)


# How submissions ended, after their number.
_ENDED = {
    Status.PASS: "passed",
    Status.FAIL: "failed",
    Status.BUILD_ERROR: "did not build",
    Status.CRASH: "crashed",
    Status.TIMEOUT: "took too long",
    Status.NOT_ATTEMPTED: "left a TODO open",
    Status.UNAVAILABLE: "could not be judged on this backend",
}


def print_summary(summary: Summary) -> None:
    """The whole summary; names of students appear in it."""
    for each in summary.exercises:
        print(_sentence(each))
    for line in _notices(summary.notices):
        print(line)


def _sentence(each: ExerciseSummary) -> str:
    words = listed([f"{count} {_ENDED[status]}" for status, count in each.statuses.items()])
    average = f", with {100 * each.mean:.0f} % of the points on average" if each.judged else ""
    ended = f": {words}" if words else ""
    return f"{each.slug}: {each.judged} of {each.submissions} judged{average}{ended}."


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    if not notices:
        yield "\nNothing needs a person."
        return
    yield f"\nFor a person to look at ({len(notices)}):"
    for slug, group in groupby(notices, key=lambda notice: notice.exercise):
        for notice in group:
            yield f"  {'/'.join(part for part in (notice.student, slug) if part)}: {notice.sentence}"
