"""How many processors this process may use, which need not be all that the machine has."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["processors"]

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # microseconds of each period, and the period; "max" is no limit


def processors() -> int:
    """By its affinity and the quota of its control group; one at least."""
    allowed = len(os.sched_getaffinity(0))
    try:
        quota, period = _QUOTA.read_text().split()
        return max(1, min(allowed, int(quota) // int(period)))
    except (OSError, ValueError):
        return allowed
