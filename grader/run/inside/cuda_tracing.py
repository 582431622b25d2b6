"""The trace of a real GPU, from the profiler: launches, copies and synchronisations of the call itself."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.autograd.profiler import profile, record_function

from grader.run.inside.arguments import Given

_CALL = "cu2grad: call"
_STREAM = "cu2grad: stream"
_MOST_ENTRIES = 2000
_DIRECTIONS = {"HtoD": "host to device", "DtoH": "device to host"}
_OPERATOR = re.compile(r"(?!autograd::|torch::autograd::)\w+::\w+")
_SYNCS = (
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
)

_Event = dict[str, Any]


class CudaTracer:
    """Profiles a call when a trace is on; knows nothing of last writers."""

    def __init__(self) -> None:
        self._events: list[_Event] = []
        self._live = (0, 0)
        self._mark: torch.Tensor | None = None  # stays, so that it does not count as freed
        with _profiler():  # its first start takes a while: now, not later
            torch.zeros(1, device="cuda")

    def expect_no_threads(self) -> None:
        """The driver has threads of its own, and the host cannot write memory of the device."""

    def begin(
        self, schedule: str, count: bool = False, refuse_launch: int = 0, refuse_library_call: int = 0
    ) -> None:
        """The hardware chooses the order, counts for its own profilers, and keeps an error that lasts."""

    @contextlib.contextmanager
    def watch(self, traced: bool, device: int, prepare: Callable[[], None]) -> Iterator[None]:
        """Run the body, under the profiler if `traced`, and wait for the device.

        Two annotations tell the profiler's events apart: a fill that shows the current stream, and the body.
        """
        self._events = []
        if not traced:
            prepare()
            yield
            torch.cuda.synchronize()
            return
        self._mark = mark = torch.empty(1, device=f"cuda:{device}")
        with _profiler() as profiler:
            prepare()
            with record_function(_STREAM):
                mark.zero_()
            self._live = _live_memory()
            try:
                with record_function(_CALL):
                    yield
                torch.cuda.synchronize()
            finally:
                with contextlib.suppress(RuntimeError):
                    torch.cuda.synchronize()
        self._events = _exported(profiler)

    def collect(self, values: Sequence[Any], given: Sequence[Given]) -> dict[str, Any]:
        """Launches, operators, copies and synchronisations that happened in the call."""
        calls = _within(self._events, _CALL)
        work = _device_work(self._events, calls)
        made_in = _operators_around(calls)
        launches = [_launch(event, made_in) for event in work if event["cat"] == "kernel"]
        operators = [event["name"] for event in calls if event["cat"] == "cpu_op"]
        mark = _device_work(self._events, _within(self._events, _STREAM))
        return {
            "findings": [],
            "launches": launches[:_MOST_ENTRIES],
            "launches_total": len(launches),
            "operators": [name for name in dict.fromkeys(operators) if _OPERATOR.fullmatch(name)],
            "copies": [text for text in map(_copy_text, work) if text][:_MOST_ENTRIES],
            "api_calls": [],
            "writers": [None for _ in values],
            "sticky_error": None,
            "stream": mark[0]["args"].get("stream", 0) if mark else 0,
            "host_syncs": sum(event["name"] in _SYNCS for event in calls),
        }

    def alive(self) -> int:
        """torch's allocations on all devices."""
        return _live_memory()[0]

    def count_live(self, trace: dict[str, Any]) -> None:
        """Change in torch's live allocations on all devices."""
        allocations, live_bytes = _live_memory()
        trace["live_allocations"] = allocations - self._live[0]
        trace["live_bytes"] = live_bytes - self._live[1]

    def lasting_error(self) -> str | None:
        """The error that even waiting for the device raises: the context is lost."""
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            named = re.search(r"cudaError\w+", str(error))
            return named.group() if named else str(error).partition("\n")[0]
        return None

    def set_watchdog(self, seconds: float) -> None:
        """A kernel cannot be stopped alone; the parent ends the worker."""


def _profiler() -> profile:
    """Of the host's operators and of the device. torch.profiler's class would import torch._inductor, which
    takes 3 s, to ask whether CUDA graphs are on.
    """
    return profile(use_kineto=True, use_device="cuda")


def _live_memory() -> tuple[int, int]:
    """Allocations and bytes on all devices that somebody holds, without the workspaces that torch keeps for
    itself: one for each stream on which cuBLAS was called.
    """
    torch._C._cuda_clearCublasWorkspaces()
    allocations = live_bytes = 0
    for device in range(torch.cuda.device_count()):
        statistics = torch.cuda.memory_stats_as_nested_dict(device)  # flat, it takes twice as long
        allocations += statistics["allocation"]["all"]["current"]
        live_bytes += statistics["allocated_bytes"]["all"]["current"]
    return allocations, live_bytes


def _exported(profiler: profile) -> list[_Event]:
    """The profiler's events in order of time; only its export tells grid, block and stream."""
    handle, path = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    try:
        profiler.export_chrome_trace(path)  # type: ignore[no-untyped-call]
        events = json.loads(Path(path).read_text(encoding="utf-8", errors="replace"))["traceEvents"]
    finally:
        Path(path).unlink()
    return sorted(
        (event for event in events if "ts" in event and "cat" in event), key=lambda event: event["ts"]
    )


def _within(events: Sequence[_Event], annotation: str) -> list[_Event]:
    """The host's events during an annotation, whichever thread they are on."""
    for window in events:
        if window["cat"] == "user_annotation" and window["name"] == annotation:
            end = window["ts"] + window["dur"]
            return [
                event
                for event in events
                if event["cat"] in ("cpu_op", "cuda_runtime", "cuda_driver")
                and window["ts"] <= event["ts"] <= end
            ]
    return []


def _device_work(events: Sequence[_Event], calls: Sequence[_Event]) -> list[_Event]:
    """The device's work for the host's `calls`."""
    ids = {event["args"].get("correlation") for event in calls if event["cat"] != "cpu_op"}
    return [
        event
        for event in events
        if event["cat"] in ("kernel", "gpu_memset", "gpu_memcpy") and event["args"].get("correlation") in ids
    ]


def _operators_around(calls: Sequence[_Event]) -> dict[Any, list[str]]:
    """For each call of the runtime, by its correlation id, the operators that it was made in, innermost last.

    The profiler notes the innermost one as the call's external id; without a note the times tell. Operators
    of one thread are nested.
    """
    found: dict[Any, list[str]] = {}
    noted: dict[Any, list[str]] = {}
    around: dict[Any, list[_Event]] = {}
    for event in sorted(calls, key=lambda each: (each["ts"], -each.get("dur", 0))):
        args, begun = event.get("args", {}), around.setdefault(event.get("tid"), [])
        while begun and begun[-1]["ts"] + begun[-1].get("dur", 0) < event["ts"]:
            begun.pop()
        if event["cat"] == "cpu_op":
            begun.append(event)
        names = [each["name"] for each in begun if _OPERATOR.fullmatch(each["name"])]
        if event["cat"] == "cpu_op":
            noted[args.get("External id")] = names
        elif "correlation" in args:
            found[args["correlation"]] = noted.get(args.get("External id") or "none", names)
    return found


def _launch(event: _Event, made_in: dict[Any, list[str]]) -> dict[str, Any]:
    args = event["args"]
    return {
        "kernel": event["name"],
        "grid": args.get("grid", [0, 0, 0]),
        "block": args.get("block", [0, 0, 0]),
        "shared": args.get("shared memory", 0),
        "stream": args.get("stream", 0),
        "device": args.get("device", 0),
        "operators": made_in.get(args.get("correlation"), []),
    }


def _copy_text(event: _Event) -> str:
    if event["cat"] != "gpu_memcpy":
        return ""
    for short, way in _DIRECTIONS.items():
        if short in event["name"]:
            return f"cudaMemcpy {way} of {event['args'].get('bytes', 0)} bytes"
    return ""
