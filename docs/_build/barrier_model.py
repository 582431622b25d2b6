"""Lesson 15's two barriers: a slow and a fast warp in the loop, with either barrier missing or not.

Warp w loads row w of b's tile, then multiplies with row 0, then with row 1. The slow warp takes longer for
every step. From that the trace follows: who does what when, what the tile holds, which reads are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

ROUNDS = 2
WARPS = 2  # and rows of the tile
LOAD = (3, 1)  # time units of each warp
MULTIPLY = (2, 1)  # with one row of the tile
EMPTY = -1


@dataclass(frozen=True)
class Step:
    """From `begin` up to `end`, warp `warp` is at `kind`: load, multiply or wait.

    `row` is the row of the tile that it writes or reads, at the end of the step; `read` is the round whose
    elements it then finds there.
    """

    warp: int
    kind: str
    begin: int
    end: int
    round: int
    row: int = -1
    read: int = EMPTY

    @property
    def wrong(self) -> bool:
        return self.kind == "multiply" and self.read != self.round


@dataclass(frozen=True)
class Trace:
    """What happens with the barriers `first` and `second` present or not."""

    title: str
    steps: tuple[Step, ...]
    meetings: tuple[int, ...] = ()  # when both warps go on from a barrier

    @property
    def end(self) -> int:
        return max(step.end for step in self.steps)

    def held(self, row: int, time: int) -> int:
        """The round whose elements `row` of the tile holds at `time`."""
        written = [each for each in self.steps if each.kind == "load" and each.row == row]
        return max((each.round for each in written if each.end <= time), default=EMPTY)

    def at(self, warp: int, time: int) -> Step | None:
        """What `warp` does from `time` on; None once it is through."""
        mine = (each for each in self.steps if each.warp == warp)
        return next((each for each in mine if each.begin <= time < each.end), None)


def trace(title: str, first: bool, second: bool) -> Trace:
    """Two rounds of both warps. A warp that reaches a barrier waits until both have."""
    now = [0] * WARPS
    steps: list[Step] = []
    meetings: list[int] = []
    for number in range(ROUNDS):
        for warp in range(WARPS):
            now[warp] = _add(steps, Step(warp, "load", now[warp], now[warp] + LOAD[warp], number, warp))
        if first:
            now = list(_meet(steps, now, number))
            meetings.append(now[0])
        for warp in range(WARPS):
            for row in range(WARPS):
                end = now[warp] + MULTIPLY[warp]
                now[warp] = _add(steps, Step(warp, "multiply", now[warp], end, number, row))
        if second:
            now = list(_meet(steps, now, number))
            meetings.append(now[0])
    whole = Trace(title, tuple(steps))
    read = (replace(each, read=whole.held(each.row, each.end)) for each in steps if each.kind == "multiply")
    others = (each for each in steps if each.kind != "multiply")
    ordered = sorted((*read, *others), key=lambda each: (each.begin, each.warp))
    return Trace(title, tuple(ordered), tuple(meetings))


def _add(steps: list[Step], step: Step) -> int:
    steps.append(step)
    return step.end


def _meet(steps: list[Step], now: list[int], number: int) -> Iterator[int]:
    last = max(now)
    for warp, time in enumerate(now):
        if time < last:
            steps.append(Step(warp, "wait", time, last, number))
        yield last


TRACES = (
    trace("both barriers", first=True, second=True),
    trace("first barrier missing", first=False, second=True),
    trace("second barrier missing", first=True, second=False),
)
END = max(each.end for each in TRACES)
