"""The orders in which blocks and threads run: what a program or a test is repeated under.

    first_schedules(4)    # forward, reversed, seeded:1, seeded:2

The environment passes them on to programs that are not Python, and from there to their runtime.
"""

from __future__ import annotations

SCHEDULE_VARIABLE = "CUSIMT_SCHEDULE"
STRICT_VARIABLE = "CUSIMT_STRICT"  # "1": report plain guesses beside atomics, too
WATCHDOG_VARIABLE = "CUSIMT_WATCHDOG"  # seconds of processor time without any progress; 0: no limit


def first_schedules(count: int) -> list[str]:
    """The first `count` schedules, always the same: both directions, then orders drawn from a seed."""
    return ["forward", "reversed", *(f"seeded:{seed}" for seed in range(1, count - 1))][:count]
