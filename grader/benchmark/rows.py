"""What was measured of each contender, beside the floor: no contender can be much below it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

Bound = Literal["memory", "arithmetic"]


@dataclass(frozen=True)
class Rates:
    """What the device was measured to do, per millisecond: bytes of a large copy, operations of a product."""

    copy: float
    product: float = 0.0


@dataclass(frozen=True)
class Floor:
    """The least time of a workload: its ``amount`` of bytes or operations at the device's own rate."""

    bound: Bound
    amount: int
    rate: float  # per millisecond

    @property
    def ms(self) -> float:
        return self.amount / self.rate

    @property
    def unit(self) -> str:
        return "GB/s" if self.bound == "memory" else "TFLOP/s"

    @property
    def sentence(self) -> str:
        if self.bound == "memory":
            needed, rate = f"{self.amount / 1e6:,.1f} MB", f"{self.rate / 1e9:.3g} TB/s"
            return f"{needed} have to move, and a large copy moves {rate} here"
        needed, rate = f"{self.amount / 1e9:,.2f} GFLOP", f"{self.rate / 1e9:.3g} TFLOP/s"
        return f"{needed} have to be computed, and a matrix product reaches {rate} here"

    def speed(self, ms: float) -> float:
        """In ``unit``, of a call that takes ``ms``."""
        return self.amount / ms / (1e6 if self.bound == "memory" else 1e9)


def floor_of(traffic: int, operations: int, rates: Rates) -> Floor | None:
    """Whichever takes longer, moving the bytes or the arithmetic; None where no rate is known."""
    floors = []
    if rates.copy and traffic:
        floors.append(Floor("memory", traffic, rates.copy))
    if rates.product and operations:
        floors.append(Floor("arithmetic", operations, rates.product))
    return max(floors, key=lambda each: each.ms, default=None)


@dataclass(frozen=True)
class Row:
    """One contender: milliseconds per call of each turn, or the ``problem`` that kept it from being timed.

    ``peak_bytes`` is the most memory that a call has allocated at any moment, its result included.
    """

    contender: str
    times: tuple[float, ...] = ()
    peak_bytes: int | None = None
    problem: str = ""

    @property
    def ms(self) -> float:
        return statistics.median(self.times)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between them lies half of the turns."""
        if len(self.times) < 2:
            return self.ms, self.ms
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return low, high

    @property
    def spread(self) -> float:
        """The width between the quartiles relative to the median: 0.02 means two per cent."""
        low, high = self.quartiles
        return (high - low) / self.ms

    def share(self, floor: Floor | None) -> float | None:
        """Of the floor's speed; above 1 for a kernel that only reads, or hits a cache."""
        return floor.ms / self.ms if floor is not None and self.times else None

    def with_pass(self, other: Row) -> Row:
        """The same contender after another pass."""
        peak = max((each for each in (self.peak_bytes, other.peak_bytes) if each is not None), default=None)
        return replace(
            self, times=self.times + other.times, peak_bytes=peak, problem=self.problem or other.problem
        )


@dataclass(frozen=True)
class Comparison:
    """All contenders on one workload. ``factor`` is that of its sizes, relative to SPEED's."""

    workload: str
    factor: float
    dtype: str
    traffic: int
    operations: int
    floor: Floor | None
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Benchmark:
    """The whole run. ``notes`` are sentences about what was left out; ``done`` is False after Ctrl-C."""

    exercise: str
    title: str
    device: str
    versions: dict[str, str]
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    done: bool = True


@dataclass
class Finished:
    """Rows of one workload as they come, in the order of the contenders, whatever the order of measuring."""

    order: Sequence[str]
    _found: dict[str, Row] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        known = self._found.get(row.contender)
        self._found[row.contender] = known.with_pass(row) if known is not None else row

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(self._found[name] for name in self.order if name in self._found)

    def failed(self, name: str) -> bool:
        """Whether there is no point in another pass."""
        return name in self._found and bool(self._found[name].problem)
