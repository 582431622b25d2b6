"""Exercises in which the learner writes a benchmark: planted workloads, whose times and memory are known.

    WORKLOADS = Workloads("measure", [
        Workload("a kernel of a millisecond", device_us=(600, 1800), judged=["median_ms"]),
        Workload("the first call compiles", first_us=(20_000, 40_000), judged=["first_ms"]),
    ], rounds=15, warm_up=10)

``measure(call, warm_up, rounds)`` gets a function without arguments that queues work on the current stream,
and returns an object with one attribute for each of :data:`QUANTITIES`. What a workload takes is drawn for
every verdict, after the submission is loaded. On the simulated GPU, time is simulated for the host, too:
``time.perf_counter`` shows that clock while the benchmark runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from grader.specification.naming import of_kind

# What a benchmark reports of a call. Milliseconds, except `peak_bytes`.
QUANTITIES = {
    "median_ms": "the median time that one call keeps the device busy, with nothing of its data in the L2 "
    "cache and all its launches queued ahead",
    "low_ms": "the lower quartile of these times",
    "high_ms": "the upper quartile of these times",
    "host_ms": "the median time until a call returns, with nothing queued before it",
    "first_ms": "the time from the beginning of the first call of all until the device has finished it",
    "peak_bytes": "the most memory that a warm call had allocated beyond what was allocated before it",
}
# What a comparison reports of two calls.
COMPARED = {
    "speedup": "how many times as fast as the baseline, by the medians",
    "saved_bytes": "how much less memory than the baseline, at the peak",
    "gigabytes_per_second": "the bytes that the operation has to move, 10^9 of them a second",
}

Range = float | tuple[float, float]


@dataclass(frozen=True)
class Workload:
    """One planted call. Times are in microseconds; a pair of numbers is a range to draw from.

    A call queues ``launches`` pieces of work of ``device_us`` each on the current stream, and the host is
    busy for ``host_us`` before each of them. The first call takes the host ``first_us`` more. The first
    ``slow_calls`` calls take host and device ``slow_factor`` times as long. After that, ``pattern`` holds
    factors on the device's time, call by call, over and over, and ``host_pattern`` on the host's. While L2
    holds the data of the call before, the device needs only the share ``cached`` of its time. A call has
    ``temporary_bytes`` allocated beside the ``result_bytes`` that it returns; the first one keeps
    ``kept_bytes`` for all later ones.

    ``earlier_us`` is queued before the benchmark begins, ``peak_before`` bytes were allocated and freed, and
    ``stream`` is current. ``judged`` names the QUANTITIES that earn the ``points``, all or nothing.
    """

    name: str
    judged: Sequence[str]
    points: float = 1.0
    device_us: Range = (300.0, 900.0)
    launches: int = 1
    host_us: Range = 20.0
    first_us: Range = 0.0
    slow_calls: int = 0
    slow_factor: Range = 1.0
    pattern: Sequence[float] = (1.0,)
    host_pattern: Sequence[float] = (1.0,)
    cached: float = 1.0
    temporary_bytes: Range = 0
    result_bytes: Range = 0
    kept_bytes: Range = 0
    earlier_us: Range = 0.0
    peak_before: Range = 0
    stream: Literal["default", "side"] = "default"


@dataclass(frozen=True)
class Pair:
    """Two workloads for ``compare(call, baseline, bytes_moved, warm_up, rounds)``; ``judged``: COMPARED."""

    name: str
    call: Workload
    baseline: Workload
    judged: Sequence[str] = tuple(COMPARED)
    points: float = 1.0
    bytes_moved: Range = (1e8, 4e8)


@dataclass(frozen=True)
class Workloads:
    """``entry`` is the benchmark in op.py, ``compare`` the function for the pairs."""

    entry: str
    workloads: Sequence[Workload]
    compare: str = ""
    pairs: Sequence[Pair] = ()
    warm_up: int = 10
    rounds: int = 15


def checked(value: Any) -> Workloads | None:
    """``WORKLOADS`` with tuples for lists, or None; raises TypeError or ValueError when it makes no sense."""
    if value is None:
        return None
    given: Workloads = of_kind(Workloads, value, "WORKLOADS")
    if not given.workloads:
        raise ValueError("WORKLOADS has no workload")
    if bool(given.compare) != bool(given.pairs):
        raise ValueError("WORKLOADS has `compare` or `pairs` without the other")
    if given.rounds < 3 or given.warm_up < 1:
        raise ValueError("WORKLOADS needs a warm-up call and three rounds, or there is no median to speak of")
    workloads = tuple(_workload(given, each) for each in given.workloads)
    pairs = tuple(_pair(given, each) for each in given.pairs)
    names = [*(each.name for each in workloads), *(each.name for each in pairs)]
    if len(set(names)) < len(names):
        raise ValueError("two of WORKLOADS have one name")
    return replace(given, workloads=workloads, pairs=pairs)


def _workload(given: Workloads, value: Any) -> Workload:
    each: Workload = of_kind(Workload, value, "WORKLOADS")
    _judged(each, QUANTITIES)
    for name, factors in (("pattern", each.pattern), ("host_pattern", each.host_pattern)):
        if not factors or min(factors) <= 0:
            raise ValueError(f"{each.name!r}: `{name}` needs factors above 0")
        if given.rounds % len(factors):
            raise ValueError(f"{each.name!r}: {given.rounds} rounds are no whole number of patterns")
    if each.slow_calls > given.warm_up:
        raise ValueError(f"{each.name!r}: {given.warm_up} warm-up calls do not get past the slow ones")
    if not 0 < each.cached <= 1:
        raise ValueError(f"{each.name!r}: `cached` is a share of the time, above 0 and at most 1")
    if each.launches < 1:
        raise ValueError(f"{each.name!r}: a workload launches something")
    if each.stream not in ("default", "side"):
        raise ValueError(f"{each.name!r}: the stream is default or side, not {each.stream!r}")
    for name in (one.name for one in fields(Workload) if one.type == "Range"):
        _positive(each.name, name, getattr(each, name))
    pattern, host_pattern = tuple(each.pattern), tuple(each.host_pattern)
    return replace(each, judged=tuple(each.judged), pattern=pattern, host_pattern=host_pattern)


def _pair(given: Workloads, value: Any) -> Pair:
    each: Pair = of_kind(Pair, value, "WORKLOADS.pairs")
    _judged(each, COMPARED)
    _positive(each.name, "bytes_moved", each.bytes_moved)
    call, baseline = (_workload(given, one) for one in (each.call, each.baseline))
    return replace(each, judged=tuple(each.judged), call=call, baseline=baseline)


def _judged(each: Workload | Pair, known: dict[str, str]) -> None:
    unknown = set(each.judged) - known.keys()
    if unknown or not each.judged:
        which = f"the unknown {min(unknown)!r}" if unknown else "nothing"
        raise ValueError(f"{each.name!r} judges {which}; there are {', '.join(known)}")


def _positive(name: str, field: str, value: Range) -> None:
    low, high = value if isinstance(value, tuple) else (value, value)
    if not 0 <= low <= high:
        raise ValueError(f"{name!r}: {field} is {value!r}, not a number or a range from 0 up")
