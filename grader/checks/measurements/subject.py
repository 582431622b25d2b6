"""One reported number: its workload, its run, and the timing trap it may have met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.checks.measurements.drawn_workloads import Drawn


@dataclass(frozen=True)
class Run:
    """The report of one run of a benchmark."""

    reported: Mapping[str, float | None]
    calls: tuple[int, ...]
    done: str
    live: int


@dataclass(frozen=True)
class Trap:
    """``value`` is what a benchmark reports that falls into it; ``topic`` is an anchor of the lesson."""

    value: float
    sentence: str
    topic: str


@dataclass(frozen=True)
class Subject:
    """One number of one run: what it has to be, and the workload it is about."""

    quantity: str
    drawn: Drawn
    run: Run
    rounds: int
    l2_bytes: int = 0
    truth: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", self.drawn.truth(self.quantity))
