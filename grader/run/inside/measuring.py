"""MEASURE and BULK in the worker: raw times of the entry and of the author's baseline, never statistics."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch import Tensor

from grader.run.inside.arguments import Given, rebuild
from grader.run.inside.placing import Places
from grader.run.inside.request import Answer, Request
from grader.run.inside.submission import Submission, describe

_WARM_UP = 3
_AHEAD_CYCLES = 2_000_000  # about 1 ms of the device: more than this process takes to launch a block
_Run = Callable[[], object]


class Measuring:
    """Keeps the two callables of the last MEASURE, for BULK."""

    def __init__(self, submission: Submission, places: Places, backend: str) -> None:
        self._submission = submission
        self._places = places
        self._on_gpu = backend == "cuda"
        self._runs: dict[str, _Run] = {}

    def measure(self, request: Request) -> Answer:
        """ABBA blocks of entry and baseline, then of the baseline against itself."""
        text = request.text
        arguments, given = rebuild(request, self._places.on_cpu)
        place = self._places.place(text["device"], "default")
        with self._places.current(place), torch.no_grad():
            try:
                entry = self._submission.entry(text["entry"])
                baseline = eval(text["baseline"], {"torch": torch})  # an author's, sent by the parent
                runs: dict[str, _Run] = {
                    "entry": lambda: entry(*arguments),
                    "baseline": lambda: baseline(*arguments),
                }
                self._runs = runs
                for _ in range(_WARM_UP):
                    runs["entry"]()
                    runs["baseline"]()
                clock = _EventClock(given) if self._on_gpu else _HostClock(given)
                clock.block(runs["baseline"], runs["baseline"])  # untimed: it still warms up the clock itself
                blocks = [clock.block(runs["entry"], runs["baseline"]) for _ in range(text["blocks"])]
                control = [clock.block(runs["baseline"], runs["baseline"]) for _ in range(text["blocks"])]
            except BaseException as error:
                return Answer({"error": describe(error, self._submission.files)})
        return Answer({"blocks": blocks, "control": control, "clock": clock.name})

    def bulk(self, request: Request) -> Answer:
        """Many calls back to back; the parent holds the watch."""
        run = self._runs[request.text["which"]]
        with torch.no_grad():
            for _ in range(request.text["calls"]):
                run()
            if self._on_gpu:
                torch.cuda.synchronize()
        return Answer({})


class _HostClock:
    """Wall-clock times, for backends whose calls are done when they return."""

    name = "host"

    def __init__(self, given: list[Given]) -> None:
        self._refresh = _Refresh(given)

    def block(self, a: _Run, b: _Run) -> list[float]:
        """Milliseconds of a, b, b, a."""
        return [self._time(run) for run in (a, b, b, a)]

    def _time(self, run: _Run) -> float:
        self._refresh()
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1000


class _EventClock:
    """CUDA events around each call, with new input values and an L2 cache that holds neither inputs nor
    outputs.
    """

    name = "cuda_event"

    def __init__(self, given: list[Given]) -> None:
        self._refresh = _Refresh(given)
        l2_bytes = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
        self._flush = torch.empty(2 * l2_bytes, dtype=torch.uint8, device="cuda")

    def block(self, a: _Run, b: _Run) -> list[float]:
        """Milliseconds of a, b, b, a. The device waits until all of it is launched, and one synchronisation
        comes at the end: how busy the processors are must not show between two events.
        """
        torch.cuda._sleep(_AHEAD_CYCLES)  # type: ignore[no-untyped-call]
        spans = [self._record(run) for run in (a, b, b, a)]
        torch.cuda.synchronize()
        return [start.elapsed_time(stop) for start, stop in spans]

    def _record(self, run: _Run) -> tuple[torch.cuda.Event, torch.cuda.Event]:
        start = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        stop = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        self._refresh()
        self._flush.zero_()
        start.record()
        run()
        stop.record()
        return start, stop


class _Refresh:
    """Gives floating-point inputs other values before each call: the sent ones, shifted by one element
    more.
    """

    def __init__(self, given: list[Given]) -> None:
        self._pairs: list[tuple[Tensor, Tensor]] = [
            (each.storage, each.storage.clone()) for each in given if each.storage.dtype.is_floating_point
        ]
        self._shift = 0

    def __call__(self) -> None:
        self._shift += 1
        for storage, sent in self._pairs:
            if sent.numel():
                storage.copy_(sent.roll(self._shift))
