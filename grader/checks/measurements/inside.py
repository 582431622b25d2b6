"""The worker's part: planted workloads, and a record of what the learner's benchmark does around them.

It answers with text, a JSON object: what the benchmark ``reported``, by attribute; how often it made each
workload's call (``calls``); ``done``, what it did, one letter each (see `recorder`); and the bytes that were
allocated when it began (``live``). What comes from here is a claim.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import torch

from grader.checks.measurements.planted import Host, Planted
from grader.checks.measurements.recorder import SIMULATED_L2_BYTES, Recorder

_CALIBRATION = 2_000_000  # cycles, about a millisecond
_SPINS = 40


def measure(submission: Any, entry: str, plan: str, simulated: bool) -> str:
    """Call ``entry(call, warm_up, rounds)`` for one planted workload."""
    asked = json.loads(plan)
    instruments = Instruments(submission, simulated)
    (planted,) = instruments.plant(asked["workloads"])
    with instruments.around(asked["workloads"][0]["stream"]):
        result = getattr(submission, entry)(planted, asked["warm_up"], asked["rounds"])
    return instruments.answer(result, asked["attributes"])


def compare(submission: Any, entry: str, plan: str, simulated: bool) -> str:
    """Call ``entry(call, baseline, bytes_moved, warm_up, rounds)`` for two planted workloads."""
    asked = json.loads(plan)
    instruments = Instruments(submission, simulated)
    call, baseline = instruments.plant(asked["workloads"])
    with instruments.around("default"):
        function = getattr(submission, entry)
        result = function(call, baseline, asked["bytes_moved"], asked["warm_up"], asked["rounds"])
    return instruments.answer(result, asked["attributes"])


class Instruments:
    """The clock, the planted calls and the record of one run."""

    def __init__(self, submission: Any, simulated: bool) -> None:
        self._submission = submission
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self._host = _simulated_host() if simulated else _RealHost()
        self._rate = properties.clock_rate / 1000 if simulated else _cycles_per_microsecond()
        self._simulated = simulated
        self._record = Recorder(SIMULATED_L2_BYTES if simulated else properties.L2_cache_size)
        self._planted: list[Planted] = []
        self._live = 0

    def plant(self, workloads: list[dict[str, Any]]) -> list[Callable[[], object]]:
        """A function for each workload; nothing but calling it tells what it takes."""
        self._planted = [Planted(each, self._host, self._record, self._rate) for each in workloads]
        return [_hidden(each) for each in self._planted]

    @contextmanager
    def around(self, stream: str) -> Iterator[None]:
        """What was there before the benchmark, then the record and the clock while it runs."""
        current = torch.cuda.current_stream()
        side = torch.cuda.Stream() if stream == "side" else current  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            left = [each.before() for each in self._planted]
            self._live = torch.cuda.memory_allocated()
            table = _stand_ins(self._record, self._host)
            table += [(torch.cuda, "get_device_properties", _with_small_l2)] if self._simulated else []
            with _replaced(table, self._submission), self._record:
                yield
        del left

    def answer(self, result: object, attributes: list[str]) -> str:
        reported = {name: _number(getattr(result, name, None)) for name in attributes}
        calls = [each.calls for each in self._planted]
        done = self._record.text()
        return json.dumps({"reported": reported, "calls": calls, "done": done, "live": self._live})


class _RealHost:
    """The machine's own clock, taken before a stand-in replaces it."""

    seconds = staticmethod(time.perf_counter)

    def work(self, microseconds: float) -> None:
        end = self.seconds() + microseconds * 1e-6
        while self.seconds() < end:
            pass


def _simulated_host() -> Host:
    from cusimt.counters.host_clock import HostClock

    return HostClock()


def _cycles_per_microsecond() -> float:
    """At the clock that the device has once it is warm: the last of many spins."""
    spans: list[float] = []
    for _ in range(_SPINS):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        start.record()
        torch.cuda._sleep(_CALIBRATION)  # type: ignore[no-untyped-call]
        stop.record()
        torch.cuda.synchronize()
        spans.append(start.elapsed_time(stop) * 1e3)
    return _CALIBRATION / statistics.median(spans[-10:])


def _hidden(planted: Planted) -> Callable[[], object]:
    def call() -> object:
        return planted.call()

    return call


def _stand_ins(record: Recorder, host: Host) -> list[tuple[Any, str, Callable[[Any], Any]]]:
    """What is replaced while the benchmark runs: owner, name, and what makes the new function of the old."""

    def noting(letter: str) -> Callable[[Any], Any]:
        def around(old: Any) -> Any:
            def called(*args: Any, **named: Any) -> Any:
                record.note(letter)
                return old(*args, **named)

            return called

        return around

    def clock(scale: float, kind: type) -> Callable[[Any], Any]:
        def read() -> Any:
            record.note("T")
            return kind(host.seconds() * scale)

        return lambda old: read

    cuda = torch.cuda
    found = [(cuda.Event, "record", noting("R")), (cuda, "synchronize", noting("W"))]
    found += [(cuda.Event, "synchronize", noting("W")), (cuda.Stream, "synchronize", noting("W"))]
    found += [(cuda, "empty_cache", noting("E")), (cuda, "reset_peak_memory_stats", noting("P"))]
    found += [(cuda, "max_memory_reserved", noting("V")), (cuda, "memory_reserved", noting("V"))]
    for name in ("perf_counter", "monotonic", "time"):
        found += [(time, name, clock(1, float)), (time, f"{name}_ns", clock(1e9, int))]
    return found


def _with_small_l2(old: Any) -> Any:
    def get_device_properties(*args: Any, **named: Any) -> Any:
        return dataclasses.replace(old(*args, **named), L2_cache_size=SIMULATED_L2_BYTES)

    return get_device_properties


@contextmanager
def _replaced(table: list[tuple[Any, str, Callable[[Any], Any]]], module: ModuleType) -> Iterator[None]:
    """Put the stand-ins in place, also where the submission has the function itself under a name."""
    undo: list[tuple[Any, str, Any]] = []
    for owner, name, make in table:
        old = getattr(owner, name)
        new = make(old)
        places = [(owner, name)] + [(module, own) for own, value in vars(module).items() if value is old]
        for place, known in places:
            undo.append((place, known, old))
            setattr(place, known, new)
    try:
        yield
    finally:
        for place, known, old in undo:
            setattr(place, known, old)


def _number(value: object) -> float | None:
    """As a float if it is a number, or a tensor of one."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
