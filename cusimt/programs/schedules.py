"""The orders in which blocks and threads run: what a program or a test is repeated under.

    first_schedules(4)    # forward, reversed, seeded:1, seeded:2

The environment passes them on to programs that are not Python, and from there to their runtime.
"""

from __future__ import annotations

import os
import re

from cusimt.support.errors import UsageError

__all__ = ["SAMPLE_VARIABLE"]

SCHEDULE_VARIABLE = "CUSIMT_SCHEDULE"
STRICT_VARIABLE = "CUSIMT_STRICT"  # "1": report plain guesses beside atomics, too
THREADS_VARIABLE = "CUSIMT_THREADS"  # of a launch without access checks: how many OS threads may share it
SAMPLE_VARIABLE = "CUSIMT_SAMPLE_BLOCKS"  # of each launch this many blocks run, and the others are skipped
WATCHDOG_VARIABLE = "CUSIMT_WATCHDOG"  # seconds of processor time without any progress; 0: no limit


def check_environment() -> None:
    """Raise UsageError where the environment chooses what there is not: see `cusimt/runtime/settings.cpp`."""
    schedule, watchdog = (os.environ.get(name, "") for name in (SCHEDULE_VARIABLE, WATCHDOG_VARIABLE))
    if schedule and not re.fullmatch(r"forward|reversed|seeded:[0-9]+", schedule):
        raise UsageError(
            f"{SCHEDULE_VARIABLE}={schedule} means nothing.",
            "It takes forward, reversed or seeded:N, where N is a number.",
            f"Correct it, or unset {SCHEDULE_VARIABLE}.",
        )
    if watchdog and not re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", watchdog):
        raise UsageError(
            f"{WATCHDOG_VARIABLE}={watchdog} means nothing.",
            "It takes a number of seconds; 0 is no limit.",
            f"Correct it, or unset {WATCHDOG_VARIABLE}.",
        )
    if not re.fullmatch(r"0*[1-9][0-9]*|", sample := os.environ.get(SAMPLE_VARIABLE, "")):
        raise UsageError(
            f"{SAMPLE_VARIABLE}={sample} means nothing.",
            "It takes the number of blocks of each launch that run.",
            f"Correct it, or unset {SAMPLE_VARIABLE}.",
        )


    if not re.fullmatch(r"0*[1-9][0-9]*|", threads := os.environ.get(THREADS_VARIABLE, "")):
        raise UsageError(
            f"{THREADS_VARIABLE}={threads} means nothing.",
            "It takes the number of OS threads that may run the blocks of a launch.",
            f"Correct it, or unset {THREADS_VARIABLE}.",
        )


def first_schedules(count: int) -> list[str]:
    """The first `count` schedules, always the same: both directions, then orders drawn from a seed."""
    return ["forward", "reversed", *(f"seeded:{seed}" for seed in range(1, count - 1))][:count]
