"""Verdicts and progress on the terminal for `grader check`, `replay` and `demo`.

Verdicts go to stdout, signs of life to stderr.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from grader.report import table_text, verdict_text
from grader.verdict import Verdict

_FRAME_SECONDS = 0.2  # between redraws of the moving line
_PATIENCE_SECONDS = 10.0  # in a log, a stage that takes longer than this gets a line
_SILENCE_SECONDS = 30.0  # and another one each time that this has passed, as a sign of life
_CLEAR = "\r\033[K"


class Screen:
    """``plain``: no colour, no moving lines; ``quiet``: stdout belongs to JSON; ``verbose``: all text."""

    def __init__(self, *, plain: bool = False, quiet: bool = False, verbose: bool = False) -> None:
        self.plain = plain or os.environ.get("TERM") == "dumb"
        self.quiet = quiet
        self.verbose = verbose

    def say(self, text: str) -> None:
        if not self.quiet:
            print(text, flush=True)

    def show(self, verdict: Verdict) -> None:
        """One verdict, as sentences when plain, else laid out with rich."""
        if self.quiet:
            return
        if self.plain:
            width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
            self.say(verdict_text(verdict, width))
        else:
            from grader.report.terminal import show_verdict

            show_verdict(verdict)

    def show_table(self, verdicts: Sequence[Verdict]) -> None:
        """Several verdicts: exercise, checks, score, time, backend."""
        if self.plain:
            self.say(table_text(verdicts))
        else:
            from grader.report.terminal import show_table

            show_table(verdicts)

    @contextmanager
    def working(self, what: str) -> Iterator[Callable[[str], None]]:
        """Show that `what` is in progress; yield a function to call with each stage's name."""
        line = _Working(what, moving=sys.stderr.isatty() and not self.plain)
        try:
            yield line.enter
        finally:
            line.stop()


class _Working:
    """One line on stderr with the stage and its seconds: redrawn on a terminal, repeated rarely in a log."""

    def __init__(self, what: str, moving: bool) -> None:
        self._what = what
        self._now = ("starting", time.monotonic())  # the stage, and when it began
        self._moving = moving
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="working", daemon=True)
        self._thread.start()

    def enter(self, stage: str) -> None:
        before, began = self._now
        self._now = (stage, began if _name(stage) == _name(before) else time.monotonic())

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        if self._moving:
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def _run(self) -> None:
        pace = _Pace()
        while not self._stopped.wait(_FRAME_SECONDS):
            (stage, began), now = self._now, time.monotonic()
            line = f"{self._what}: {stage}, {now - began:.0f} s"
            if self._moving:
                print(f"{_CLEAR}{line}", end="", file=sys.stderr, flush=True)
            elif pace.is_due(stage, now):
                print(line, file=sys.stderr, flush=True)


def _name(stage: str) -> str:
    """What follows a comma says how far it is: "kills, 7 of 29 implementations tested" is still `kills`."""
    return stage.partition(",")[0]


class _Pace:
    """When a log gets a line: once for a stage that takes long, then rarely."""

    def __init__(self) -> None:
        self._stage = ""
        self._next = 0.0

    def is_due(self, stage: str, seconds: float) -> bool:
        """Whether `stage`, which is going on at `seconds`, gets a line now."""
        stage = _name(stage)
        if stage != self._stage:
            self._stage, self._next = stage, seconds + _PATIENCE_SECONDS
            return False
        if seconds < self._next:
            return False
        self._next = seconds + _SILENCE_SECONDS
        return True
