"""A deadline in the own time of a process and all that it starts, which a busy machine does not shorten.

The clock on the wall goes on while other programs have the processors. Own time goes on while a process of
the tree runs and while all of them sleep; it stops while one is ready to run and no processor takes it. A
spin loop and a wait both end, and an honest program gets the same time at any load.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 10.0  # wall-clock seconds for each of own time: at the latest then it is over
_LOOK_SECONDS = 0.5  # between looks at the tree, each of which takes some milliseconds
_SHORTEST_WAIT = 0.01
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """What a tree of processes has used: `seconds` of processors; `ready`: one of it runs or could."""

    seconds: float
    ready: bool


class Deadline:
    """Over after `seconds` of own time of the process that `leader` names, or PATIENCE times as many."""

    def __init__(
        self, seconds: float, leader: Callable[[], int], *,
        clock: Callable[[], float] = time.monotonic, usage: Callable[[int], Usage | None] | None = None,
    ) -> None:  # fmt: skip
        """Begin now. `leader` is called seldom; where its process tree is unreadable, the clock counts."""
        self._seconds = seconds
        self._leader = leader
        self._clock = clock
        self._usage = usage or usage_of
        self._begun = self._looked = clock()
        self._own = 0.0
        self._before: Usage | None = None

    @property
    def waited(self) -> float:
        """Wall-clock seconds since it began."""
        return self._clock() - self._begun

    def left(self) -> float:
        """For how many seconds to wait before asking again; 0 when it is over."""
        since = self._clock() - self._looked
        if since >= min(_LOOK_SECONDS, self._seconds - self._own):
            self._look(since)
            since = 0.0
        left = self._seconds - self._own - since
        latest = self._seconds * PATIENCE - self.waited
        if left <= 0 or latest <= 0:
            return 0.0
        return max(_SHORTEST_WAIT, min(left, latest, _LOOK_SECONDS - since))

    def _look(self, since: float) -> None:
        now = self._usage(self._leader())
        before, self._before = self._before, now
        self._looked += since
        if now is None or before is None or not now.ready:
            self._own += since
        else:
            self._own += min(since, max(0.0, now.seconds - before.seconds))


def usage_of(leader: int) -> Usage | None:
    """What `leader` and its descendants have used; None where it is gone or /proc does not show it."""
    try:
        table = processes()
    except OSError:
        return None
    if leader not in table:
        return None
    tree = {leader}
    while more := {pid for pid, (parent, _) in table.items() if parent in tree} - tree:
        tree |= more
    return Usage(sum(table[pid][1] for pid in tree), any(map(_is_ready, tree)))


def processes() -> dict[int, tuple[int, float]]:
    """Of every process its parent, and the seconds of processors that it and its ended children have used.

    Not every kernel has `/proc/PID/task/TID/children`. Raises OSError where there is no /proc.
    """
    return dict(filter(None, map(_row, Path("/proc").iterdir())))


def _row(place: Path) -> tuple[int, tuple[int, float]] | None:
    if not place.name.isdecimal():
        return None
    fields = _stat(place)
    return (int(place.name), (int(fields[1]), sum(map(int, fields[11:15])) / _TICKS)) if fields else None


def _is_ready(pid: int) -> bool:
    """Whether a thread of it runs, or waits for nothing but a processor."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False
    return any(fields[:1] == [b"R"] for fields in map(_stat, threads))


def _stat(place: Path) -> list[bytes]:
    """The fields after the name, which may contain anything; none where the process is gone."""
    try:
        return (place / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
