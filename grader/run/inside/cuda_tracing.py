"""The trace of a real GPU, from the profiler: launches, copies and synchronisations."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from grader.run.inside.arguments import Given

_MOST_ENTRIES = 2000
_DIRECTIONS = {"HtoD": "host to device", "DtoH": "device to host"}
_SYNCS = ("cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cuStreamSynchronize",
          "cuCtxSynchronize")  # fmt: skip


class CudaTracer:
    """Profiles a call when a trace is asked for; knows nothing of last writers."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._live = (0, 0)

    @contextlib.contextmanager
    def watch(self, traced: bool, device: int) -> Iterator[None]:
        """Run the body under the profiler; the first memset, ours, tells the id of the current stream."""
        self._events = []
        if not traced:
            yield
            return
        torch.cuda.synchronize()
        marker = torch.empty(1, dtype=torch.uint8, device=f"cuda:{device}")
        self._live = self._memory()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], acc_events=False) as profiler:
            marker.zero_()
            torch.cuda.synchronize()
            try:
                yield
            finally:
                with contextlib.suppress(RuntimeError):
                    torch.cuda.synchronize()
        self._events = _exported(profiler)

    def synchronize(self) -> None:
        """Raises what the device found wrong since the launch."""
        torch.cuda.synchronize()

    def collect(self, values: Sequence[Any], given: Sequence[Given]) -> dict[str, Any]:
        """Launches, operators, copies and synchronisations, without the marker's own."""
        device_work = [
            event for event in self._events if event.get("cat") in ("kernel", "gpu_memset", "gpu_memcpy")
        ]
        marker = device_work[:1]
        work = device_work[1:]
        launches = [_launch(event) for event in work if event["cat"] == "kernel"]
        start = marker[0]["ts"] + marker[0].get("dur", 0) if marker else 0.0
        calls = [event for event in self._events if event.get("cat") in ("cuda_runtime", "cuda_driver")
                 and event["ts"] > start]  # fmt: skip
        operators = [
            event["name"] for event in self._events if event.get("cat") == "cpu_op" and event["ts"] > start
        ]
        syncs = [event for event in calls if event["name"] in _SYNCS]
        return {
            "findings": [],
            "launches": launches[:_MOST_ENTRIES],
            "launches_total": len(launches),
            "operators": list(dict.fromkeys(operators)),
            "copies": [text for text in map(_copy_text, work) if text][:_MOST_ENTRIES],
            "api_calls": [],
            "writers": [None for _ in values],
            "sticky_error": None,
            "stream": marker[0]["args"].get("stream", 0) if marker else 0,
            "host_syncs": max(0, len(syncs) - _own_syncs(self._events)),
        }

    def count_live(self, trace: dict[str, Any]) -> None:
        """Change in torch's live allocations on all devices."""
        live = self._memory()
        trace["live_allocations"] = live[0] - self._live[0]
        trace["live_bytes"] = live[1] - self._live[1]

    def is_spent(self) -> bool:
        """Whether even waiting for the device fails: the context is lost."""
        try:
            torch.cuda.synchronize()
        except RuntimeError:
            return True
        return False

    def set_watchdog(self, seconds: float) -> None:
        """A kernel cannot be stopped alone; the parent ends the worker."""

    def set_schedule(self, order: str) -> None:
        """The hardware chooses."""

    def _memory(self) -> tuple[int, int]:
        allocations = live_bytes = 0
        for device in range(torch.cuda.device_count()):
            statistics = torch.cuda.memory_stats(device)
            allocations += statistics.get("allocation.all.current", 0)
            live_bytes += statistics.get("allocated_bytes.all.current", 0)
        return allocations, live_bytes


def _exported(profiler: profile) -> list[dict[str, Any]]:
    """The profiler's events in order of time; only its export tells grid, block and stream."""
    handle, path = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    try:
        profiler.export_chrome_trace(path)
        events = json.loads(Path(path).read_text(encoding="utf-8", errors="replace"))["traceEvents"]
    finally:
        Path(path).unlink()
    return sorted(
        (event for event in events if "ts" in event and "cat" in event), key=lambda event: event["ts"]
    )


def _launch(event: dict[str, Any]) -> dict[str, Any]:
    args = event["args"]
    return {
        "kernel": event["name"],
        "grid": args.get("grid", [0, 0, 0]),
        "block": args.get("block", [0, 0, 0]),
        "shared": args.get("shared memory", 0),
        "stream": args.get("stream", 0),
        "device": args.get("device", 0),
    }


def _copy_text(event: dict[str, Any]) -> str:
    if event["cat"] != "gpu_memcpy":
        return ""
    for short, way in _DIRECTIONS.items():
        if short in event["name"]:
            return f"cudaMemcpy {way} of {event['args'].get('bytes', 0)} bytes"
    return ""


def _own_syncs(events: Sequence[dict[str, Any]]) -> int:
    """The synchronisations of ``watch`` and ``synchronize`` themselves: see there."""
    return 3 if events else 0
