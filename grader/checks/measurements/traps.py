"""Explain wrong numbers: each classic GPU-timing mistake predicts one, and the report may match it.

A prediction follows from the workload's drawn numbers. What the record of the run shows beyond doubt comes
before it, and what the record only suggests after it (`evidence`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator

from grader.checks.measurements.drawn_workloads import LAUNCH_US
from grader.checks.measurements.evidence import DEVICE_TIMES, OTHER_STREAM, certain, likely, waited
from grader.checks.measurements.subject import Subject, Trap

_NEAR = 0.05  # a number this close to a prediction, and much closer than to the truth, is explained by it
_MEBI = 1 << 20


def explanation(subject: Subject) -> Trap | None:
    """What the record shows, else the trap whose prediction the number meets best; None if none is near."""
    reported = subject.run.reported[subject.quantity]
    if reported is None:
        return None
    if (shown := certain(subject, reported)) is not None:
        return shown
    nearer = min(_NEAR, _distance(reported, subject.truth) / 2)
    near = [
        (distance, number, trap)
        for number, trap in enumerate(_OF[subject.quantity](subject))
        if (distance := _distance(reported, trap.value)) <= nearer
    ]
    return min(near, key=lambda each: each[:2])[2] if near else likely(subject, reported)


def _distance(one: float, other: float) -> float:
    """Of two positive numbers, on the scale of ratios."""
    if one > 0 and other > 0:
        return abs(math.log(one) - math.log(other))
    return 0.0 if one == other else math.inf


def _units(subject: Subject) -> Iterator[Trap]:
    truth = subject.truth
    yield Trap(truth / 1e3, "That is seconds; `_ms` means milliseconds.", "units")
    yield Trap(truth * 1e3, "That is microseconds; `_ms` means milliseconds.", "units")
    yield Trap(truth * 1e6, "That is nanoseconds; `_ms` means milliseconds.", "units")
    yield Trap(truth * subject.rounds, f"That is the sum of {subject.rounds} rounds, not one call.", "units")
    yield Trap(truth / subject.rounds, "That is one call's time, divided by the rounds once more.", "units")


def _device_time(subject: Subject) -> Iterator[Trap]:
    drawn, workload, done = subject.drawn, subject.drawn.workload, subject.run.done
    truth = subject.truth
    yield from _statistics(subject)
    if workload.slow_calls:
        said = f"The first {workload.slow_calls} calls are slow, and they were timed: warm up first."
        for share in (1.0, statistics.fmean((drawn.slow_factor, 1.0))):
            yield Trap(truth * (1 + share * (drawn.slow_factor - 1)), said, "warm_up")
    if workload.cached < 1:
        yield Trap(truth * workload.cached, _cached(done), "l2")
    if drawn.queueing_ms > drawn.work_ms:
        yield Trap(drawn.wall_ms(), waited(subject), "head_start")
    if "R" in done and workload.stream == "side":  # all that an idle stream has to show
        yield Trap(drawn.queueing_ms, OTHER_STREAM, "stream")
    said = (
        f"That is the host's time to queue the call, {drawn.queueing_ms:.3g} ms. A call returns before the "
        "device is done: the clock was read without waiting for the device."
    )
    yield Trap(drawn.queueing_ms, said, "asynchrony")
    yield from _units(subject)


def _statistics(subject: Subject) -> Iterator[Trap]:
    pattern, work = subject.drawn.workload.pattern, subject.drawn.work_ms
    if len(pattern) == 1:
        return
    names = {"median_ms": "the median", "low_ms": "the lower quartile", "high_ms": "the upper quartile"}
    found = {
        "the mean": statistics.fmean(pattern),
        "the fastest call": min(pattern),
        "the slowest call": max(pattern),
        "the median": statistics.median(pattern),
        "the lower quartile": subject.drawn.quartiles[0],
        "the upper quartile": subject.drawn.quartiles[1],
        "the mean minus a standard deviation": statistics.fmean(pattern) - statistics.pstdev(pattern),
        "the mean plus a standard deviation": statistics.fmean(pattern) + statistics.pstdev(pattern),
    }
    for what, factor in found.items():
        said = f"That is {what}, not {names[subject.quantity]}."
        said += " A few slow calls are enough to move a mean." if what == "the mean" else ""
        yield Trap(work * factor, said, "statistics")


def _cached(done: str) -> str:
    said = "Its data were still in the L2 cache from the round before."
    if "E" in done:
        said += " `torch.cuda.empty_cache` empties the allocator's pool of blocks, no cache of the device."
    elif "F" not in done and "o" in done:
        said += " What was written in between is smaller than that cache."
    elif "F" not in done:
        said += " Nothing was written in between that would have replaced them."
    return said


def _host_time(subject: Subject) -> Iterator[Trap]:
    drawn, workload = subject.drawn, subject.drawn.workload
    said = "That includes the device's work: read the clock when the call returns, before you wait."
    yield Trap(drawn.wall_ms(), said, "asynchrony")
    yield Trap(drawn.work_ms, said, "asynchrony")
    if workload.slow_calls:
        said = f"The first {workload.slow_calls} calls are slow, and they were timed: warm up first."
        yield Trap(workload.launches * drawn.host_us * drawn.slow_factor / 1e3, said, "warm_up")
    yield from _units(subject)


def _first_time(subject: Subject) -> Iterator[Trap]:
    drawn = subject.drawn
    slow, uneven = drawn.first_factors
    host = (drawn.first_us + drawn.workload.launches * (drawn.host_us * slow + LAUNCH_US)) / 1e3
    device = drawn.work_ms * slow * uneven
    said = "That is when the call returned; the device was still working: wait for it, then read the clock."
    yield Trap(host, said, "asynchrony")
    said = (
        f"That includes {drawn.earlier_us / 1e3:.3g} ms of work that was queued before: wait for the "
        "device, then read the clock for the first time."
    )
    yield Trap(drawn.earlier_us / 1e3 + device, said, "earlier")
    yield Trap(subject.truth + drawn.earlier_us / 1e3, said, "earlier")
    yield Trap(max(host, drawn.earlier_us / 1e3) + device, said, "earlier")
    said = "That is a later call. The first one of all takes longer, and was not timed."
    yield Trap(drawn.wall_ms(), said, "first")
    yield Trap(drawn.wall_ms(slow, uneven), said, "first")
    yield from _units(subject)


def _peak(subject: Subject) -> Iterator[Trap]:
    drawn, live, truth = subject.drawn, subject.run.live, subject.truth
    if drawn.peak_before and "V" not in subject.run.done:  # reserved memory remembers that peak, too
        said = "That peak is from before: reset the statistics before the call."
        for value in (drawn.peak_before, drawn.peak_before - live, drawn.peak_before + live):
            yield Trap(value, said, "peak_reset")
        yield Trap(drawn.peak_before - drawn.kept_bytes - live, said, "peak_reset")
    said = "That includes memory that was in use before the call: subtract it."
    for more in (live, live + drawn.kept_bytes):
        yield Trap(truth + more, said, "peak_before")
    said = "The result of the call before was still there, beside this one's: let it go before the next call."
    yield Trap(truth + drawn.result_bytes, said, "peak")
    said = "That is the first call, which allocates what it keeps for all later ones. Measure a warm one."
    yield Trap(truth + drawn.kept_bytes, said, "peak")
    said = "That is what the call left allocated. The peak, within the call, was higher."
    yield Trap(drawn.result_bytes, said, "peak")
    yield Trap(0.0, said, "peak")
    for buffer in (subject.l2_bytes, 2 * subject.l2_bytes):
        said = "That includes the buffer that empties the L2 cache: allocate it elsewhere."
        yield Trap(truth + buffer, said, "peak")
        yield Trap(float(buffer), said, "peak")
    for unit in (1e3, 1 << 10, 1e6, _MEBI, 1e9, 1 << 30):
        yield Trap(truth / unit, "`peak_bytes` counts bytes.", "units")


_OF: dict[str, Callable[[Subject], Iterator[Trap]]] = {
    **dict.fromkeys(DEVICE_TIMES, _device_time),
    "host_ms": _host_time,
    "first_ms": _first_time,
    "peak_bytes": _peak,
}
