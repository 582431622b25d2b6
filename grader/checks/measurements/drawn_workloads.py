"""Planted workloads with drawn parameters, and what a benchmark must report for each."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.specification.workloads import Range, Workload

LAUNCH_US = 1.5  # what queueing takes the simulated host; a real one takes a few microseconds
_MEBI = 1 << 20


@dataclass(frozen=True)
class Drawn:
    """One workload of a verdict; every number as in :class:`Workload`, times in microseconds."""

    workload: Workload
    device_us: float
    host_us: float
    first_us: float
    slow_factor: float
    earlier_us: float
    temporary_bytes: int
    result_bytes: int
    kept_bytes: int
    peak_before: int

    def plan(self) -> dict[str, Any]:
        """What the worker needs to know."""
        numbers = {name: getattr(self, name) for name in _TIMES + _SIZES}
        shape = ("launches", "slow_calls", "cached", "stream")
        return {
            **numbers, **{name: getattr(self.workload, name) for name in shape},
            "pattern": list(self.workload.pattern), "host_pattern": list(self.workload.host_pattern),
        }  # fmt: skip

    def truth(self, quantity: str) -> float:
        """What a benchmark has to report; `quantity` is one of QUANTITIES."""
        return {
            "median_ms": lambda: self.work_ms * statistics.median(self.workload.pattern),
            "low_ms": lambda: self.work_ms * self.quartiles[0],
            "high_ms": lambda: self.work_ms * self.quartiles[1],
            "host_ms": lambda: self.queueing_ms,
            "first_ms": lambda: self.first_us / 1e3 + self.wall_ms(*self.first_factors),
            "peak_bytes": lambda: float(self.temporary_bytes + self.result_bytes),
        }[quantity]()

    @property
    def work_ms(self) -> float:
        """The device's time for one call whose factor is 1."""
        return self.workload.launches * self.device_us / 1e3

    @property
    def queueing_ms(self) -> float:
        """The host's time for a warm call, the median of all."""
        factor = statistics.median(self.workload.host_pattern)
        return self.workload.launches * (self.host_us * factor + LAUNCH_US) / 1e3

    @property
    def quartiles(self) -> tuple[float, float]:
        """Of the factors by which calls differ."""
        if len(self.workload.pattern) == 1:
            return self.workload.pattern[0], self.workload.pattern[0]
        low, _, high = statistics.quantiles(self.workload.pattern, n=4, method="inclusive")
        return low, high

    def wall_ms(self, slow: float = 1.0, uneven: float = 1.0) -> float:
        """From the beginning of a call on an idle device until the device is done with it.

        Both take ``slow`` times as long, and the device ``uneven`` times as long as that.
        """
        host = device = 0.0
        for _ in range(self.workload.launches):
            host += self.host_us * slow
            device = max(host, device) + self.device_us * slow * uneven
            host += LAUNCH_US
        return max(host, device) / 1e3

    @property
    def first_factors(self) -> tuple[float, float]:
        """Of the first call: how many times as long host and device take, and the device beside that. The
        pattern begins after the slow calls.
        """
        slow = self.workload.slow_calls > 0
        return (self.slow_factor, 1.0) if slow else (1.0, self.workload.pattern[0])


_TIMES = ("device_us", "host_us", "first_us", "slow_factor", "earlier_us")
_SIZES = ("temporary_bytes", "result_bytes", "kept_bytes", "peak_before")


def drawn(workload: Workload, uniform: Callable[[float, float], float]) -> Drawn:
    """Numbers from the ranges of `workload`; memory in whole mebibytes, as allocators hand it out."""

    def one(value: Range) -> float:
        return uniform(*value) if isinstance(value, tuple) else float(value)

    times = {name: one(getattr(workload, name)) for name in _TIMES}
    sizes = {name: round(one(getattr(workload, name)) / _MEBI / 2) * 2 * _MEBI for name in _SIZES}
    return Drawn(workload, **times, **sizes)  # type: ignore[arg-type]
