"""Runs any command, such as `make test`, in an environment that has a simulated GPU."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from cusimt.programs.program import prepare, status_with_findings
from cusimt.programs.schedules import SCHEDULE_VARIABLE, first_schedules
from cusimt.support.errors import UsageError

_SIGNALLED = 128  # to which a shell adds the number of the signal
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_command(words: Sequence[str], *, checked: bool, schedules: int = 1) -> int:
    """Run `words` and return the exit status that this process should have.

    Every Python in it that imports torch has the simulated device, and nvcc is the simulated toolkit's. With
    `checked`, what was found in the programs that it ran is printed to stderr, and turns a success into 1.
    With more than one of `schedules`, the command runs once in each, until it fails by itself.
    """
    if not words:
        raise UsageError(
            "No command was named.",
            "What follows -- is run with a simulated GPU.",
            "Name one: python -m cusimt -- make test",
        )
    prepare(checked)
    os.environ["CUDA_PATH"] = os.environ["CUDA_HOME"]  # what Makefiles read
    status = _status_in_schedules(words, schedules) if schedules > 1 else _status(words)
    return status_with_findings(status, checked)


def _status_in_schedules(words: Sequence[str], count: int) -> int:
    for schedule in first_schedules(count):
        os.environ[SCHEDULE_VARIABLE] = schedule
        print(f"cusimt: schedule {schedule}", file=sys.stderr, flush=True)
        if status := _status(words):
            return status
    return 0


def _status(words: Sequence[str]) -> int:
    try:
        process = subprocess.Popen(words)
    except FileNotFoundError:
        raise UsageError(
            f"There is no command {words[0]}.",
            "The command after -- is looked for as a shell does it, on PATH.",
            "Correct its name, or give its path.",
        ) from None
    except PermissionError:
        raise UsageError(
            f"{words[0]} cannot be run.",
            "The command after -- has to be a program.",
            f"Allow it: chmod +x {words[0]}",
        ) from None
    with _signals_passed_on(process):
        status = process.wait()
    return status if status >= 0 else _SIGNALLED - status


@contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave it to `process` what a signal to this process does: findings are printed when it has ended."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        if number != signal.SIGINT or not _has_terminal():
            process.send_signal(number)

    before = {number: signal.getsignal(number) for number in _PASSED_ON}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, pass_on)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_terminal() -> bool:
    """Whether this process is in a terminal's foreground, whose Ctrl-C reaches the command by itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    finally:
        os.close(terminal)
