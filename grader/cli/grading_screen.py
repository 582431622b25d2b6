"""Progress of a batch on stderr: a bar on a terminal, an occasional line in a log."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from cusimt.support.words import counted, noun
from grader.instruct.batch.driver import Ended, Item, ItemOutcome

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
