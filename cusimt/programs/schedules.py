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


# What each variable takes: a pattern, and the same in words. Empty is as good as unset.
_TAKES = {
    SCHEDULE_VARIABLE: (r"forward|reversed|seeded:[0-9]+", "forward, reversed or seeded:N with a number N"),
    STRICT_VARIABLE: (r"[01]", "1 or 0"),
    THREADS_VARIABLE: (r"0*[1-9][0-9]*", "the number of OS threads that may run the blocks of a launch"),
    SAMPLE_VARIABLE: (r"0*[1-9][0-9]*", "the number of blocks of each launch that run"),
    WATCHDOG_VARIABLE: (r"[0-9]+(\.[0-9]*)?|\.[0-9]+", "a number of seconds; 0 is no limit"),
}


def check_environment() -> None:
    """Raise UsageError where the environment chooses what there is not: see `cusimt/runtime/settings.cpp`."""
    for variable, (pattern, words) in _TAKES.items():
        value = os.environ.get(variable, "")
        if value and not re.fullmatch(pattern, value):
            raise UsageError(
                f"{variable}={value} means nothing.",
                f"It takes {words}.",
                f"Correct it, or unset {variable}.",
            )


def take_option(variable: str, option: str, value: str) -> None:
    """Set `variable` to the value of a command's option. Raises UsageError for what it does not take."""
    pattern, words = _TAKES[variable]
    if not re.fullmatch(pattern, value):
        raise wrong_value(option, words)
    os.environ[variable] = value


def wrong_value(option: str, takes: str) -> UsageError:
    """What to raise for a known option with a value that it does not take, or without one."""
    return UsageError(
        f"{option} is not possible.",
        f"{option.partition('=')[0]} takes {takes}.",
        "All options: python -m cusimt --help",
    )


def first_schedules(count: int) -> list[str]:
    """The first `count` schedules, always the same: both directions, then orders drawn from a seed."""
    return ["forward", "reversed", *(f"seeded:{seed}" for seed in range(1, count - 1))][:count]
