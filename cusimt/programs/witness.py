"""Reports the findings of a program that ends before it can do so: by abort(), os._exit() or a signal.

The witness is a process that waits for the end of this one. It is no child of it, because programs wait for
all their children.
"""

from __future__ import annotations

import os
import signal

from cusimt.programs import child_findings

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # a terminal sends them to the witness, too

_held: int | None = None  # a pipe that the system closes when this process ends


def call_witness() -> None:
    """Have what this process leaves in the folder of `child_findings` printed when it has ended."""
    global _held
    reading, _held = os.pipe()
    between = os.fork()
    if between:
        os.close(reading)
        os.waitpid(between, 0)
        return
    try:
        if os.fork() == 0:
            os.close(_held)
            _wait_and_report(reading)
    finally:
        os._exit(0)


def _wait_and_report(reading: int) -> None:
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # who reads the program's output waits for its end, and not for this
        os.dup2(nothing, stream)
    os.read(reading, 1)
    collected = child_findings.take_left()
    if collected.findings or collected.unchecked or collected.sampled:
        from cusimt.programs.report import print_collected

        print_collected(collected)
    child_findings.drop_folder()
