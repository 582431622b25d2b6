"""Child processes that lead a group: whether they have ended, and the end of all that they started."""

from __future__ import annotations

import contextlib
import os
import select
import signal


def kill_group(leader: int) -> None:
    """SIGKILL the process group of `leader`, which must not have been reaped yet."""
    # Without permission for one of them (a setuid program), every member that we may signal has been.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def ends_within(child: int, seconds: float) -> bool:
    """Whether `child` has ended, or does so in that time. It is not reaped: its number stays its own."""
    pidfd = os.pidfd_open(child)
    try:
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        return bool(poller.poll(seconds * 1000))
    finally:
        os.close(pidfd)
