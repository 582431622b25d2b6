"""What `grader check`, `replay` and `demo` put on the screen: verdicts, and signs of life between them.

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
_SILENCE_SECONDS = 10.0  # between lines in a log, so that nobody takes a first build for a hang
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
        """Shows that ``what`` is being worked on; yields a function that is told each stage's name."""
        line = _Working(what, moving=sys.stderr.isatty() and not self.plain)
        try:
            yield line.enter
        finally:
            line.stop()


class _Working:
    """One line on stderr with the stage and the seconds: redrawn on a terminal, repeated rarely in a log."""

    def __init__(self, what: str, moving: bool) -> None:
        self._what = what
        self._stage = "starting"
        self._moving = moving
        self._since = time.monotonic()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="working", daemon=True)
        self._thread.start()

    def enter(self, stage: str) -> None:
        self._stage = stage

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        if self._moving:
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def _run(self) -> None:
        while not self._stopped.wait(_FRAME_SECONDS if self._moving else _SILENCE_SECONDS):
            if self._moving:
                print(f"{_CLEAR}{self._text()}", end="", file=sys.stderr, flush=True)
            else:
                print(self._text(), file=sys.stderr, flush=True)

    def _text(self) -> str:
        seconds = time.monotonic() - self._since
        first = self._stage in ("starting", "build") and seconds >= _SILENCE_SECONDS
        why = " (the first build on a machine takes longest)" if first else ""
        return f"{self._what}: {self._stage}, {seconds:.0f} s{why}"
