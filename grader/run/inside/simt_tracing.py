"""The trace of the simulated device, from its runtime (`cusimt/include/simt_api.h`) by ctypes."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy
import torch
from torch import Tensor

from cusimt.support.writers import WRITERS
from cusimt.triton import failures, specialisations
from grader.run.inside import counting, wrapped_offsets
from grader.run.inside.arguments import Given
from grader.run.inside.staging import foreign_copies, writers_of

_SCHEDULES = {"forward": 0, "reversed": 1, "random": 2}
_MOST_ENTRIES = 2000
_MOST_RUNS = 4096
_DEVICES = 2
_TASKS = Path("/proc/self/task")


_STATISTICS = ("live_bytes", "peak_bytes", "live_allocations", "total_allocations", "total_frees")


class _Memory(ctypes.Structure):
    _fields_: ClassVar = [(name, ctypes.c_uint64) for name in _STATISTICS]


class KernelFailed(RuntimeError):
    """A kernel in Triton failed, and the call that launched it returned as if it had not."""


class SimtTracer:
    """Reads the logs of the runtime and of the simulated device after a call."""

    def __init__(self) -> None:
        from cusimt import activate, records

        self._driver = activate.driver()
        self._runtime = records.load_runtime()
        for function in (
            "simt_take_findings",
            "simt_take_launches",
            "simt_take_api_calls",
            "simt_error_name",
        ):
            getattr(self._runtime, function).restype = ctypes.c_char_p
        self._runtime.simt_writers.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        self._runtime.simt_writers.restype = None
        self._runtime.simt_digest.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._runtime.simt_digest.restype = ctypes.c_uint64
        self._runtime.simt_set_schedule.argtypes = [ctypes.c_int, ctypes.c_uint64]
        self._runtime.simt_set_watchdog.argtypes = [ctypes.c_double]
        self._counting = False
        self._before = _Memory()
        self._stream = 0
        self._runs = itertools.count(1)

    def expect_no_threads(self) -> None:
        """PyTorch starts its threads now, autograd's one for each device, and computes in the calling
        thread from now on: any that comes later is the submission's.
        """
        if not _TASKS.is_dir():
            return
        torch.set_num_threads(1)
        torch.ones(1, device="cuda", requires_grad=True).clone().backward()  # type: ignore[no-untyped-call]
        self._runtime.simt_expect_threads(sum(1 for _ in _TASKS.iterdir()))

    def begin(
        self, schedule: str, count: bool = False, refuse_launch: int = 0, refuse_library_call: int = 0
    ) -> None:
        """Also a launch error that would last on a real device goes; every random schedule is another."""
        if count != self._counting:
            self._runtime.simt_set_counting(int(count))
            self._counting = count
        self._runtime.simt_refuse_launch(refuse_launch)
        self._runtime.simt_refuse_library_call(refuse_library_call)
        self._runtime.simt_reset()
        self._runtime.simt_set_schedule(_SCHEDULES[schedule], next(self._runs))

    @contextlib.contextmanager
    def watch(self, traced: bool, device: int, prepare: Callable[[], None]) -> Iterator[None]:
        """Forget what preparing the call did; launches are synchronous, so nothing is waited for."""
        prepare()
        self._runtime.simt_reset()
        failures.forget()
        specialisations.taken()
        if traced:
            self._runtime.simt_take_api_calls()
            self._driver.take_operators()
            for number in range(_DEVICES):
                self._runtime.simt_reset_peak(number)
            self._before = self._memory()
            self._stream = self._driver.stream_of(device)
            self._runtime.simt_watch_streams()
        self._runtime.simt_watch_copies(int(traced))
        if self._counting:
            counting.forget()
        self._runtime.simt_raise_shield(int(traced))
        try:
            yield
        finally:
            self._runtime.simt_raise_shield(0)
        if failed := failures.first():
            raise KernelFailed(
                f"a kernel failed with {failed}, and the submission caught that. On a GPU a failed kernel "
                "ends every call that follows: let its exception pass."
            )

    def collect(self, values: Sequence[Any], given: Sequence[Given]) -> dict[str, Any]:
        """Findings, launches, operators, copies and writers, cut to a length that a reply can hold."""
        findings = self._lines(self._runtime.simt_take_findings())
        launches = self._lines(self._runtime.simt_take_launches())
        calls = self._lines(self._runtime.simt_take_api_calls())
        operators = self._driver.take_operators()
        sticky = self._runtime.simt_sticky_error()
        counts = counting.counted(values, given) if self._counting else {}
        memory = self._memory()
        for finding in findings:
            _name_tensor(finding, given, values)
        return {
            "findings": findings[:_MOST_ENTRIES],
            "launches": launches[:_MOST_ENTRIES],
            "launches_total": len(launches),
            "operators": list(dict.fromkeys(line["operator"] for line in operators if "operator" in line)),
            "copies": [_copy_text(line) for line in (*calls, *operators) if _crosses(line)][:_MOST_ENTRIES],
            "api_calls": calls[:_MOST_ENTRIES],
            "foreign_copies": foreign_copies(calls, given, self._runtime.simt_digest)[:_MOST_ENTRIES],
            "writers": [self._writers(value, calls) for value in values],
            "specialisations": specialisations.taken()[:_MOST_ENTRIES],
            "sticky_error": self._runtime.simt_error_name(sticky).decode() if sticky else None,
            "stream": self._stream,
            "host_syncs": sum("ynchronize" in str(line.get("call", "")) for line in calls),
            "allocations": memory.total_allocations - self._before.total_allocations,
            "peak_bytes": memory.peak_bytes - self._before.live_bytes,
            **counts,
        }

    def count_live(self, trace: dict[str, Any]) -> None:
        """Allocations and bytes that the call added."""
        memory = self._memory()
        trace["live_allocations"] = memory.live_allocations - self._before.live_allocations
        trace["live_bytes"] = memory.live_bytes - self._before.live_bytes

    def alive(self) -> int:
        """Allocations on all devices."""
        return int(self._memory().live_allocations)

    def lasting_error(self) -> str | None:
        """Never: `begin` clears what a real device would keep."""
        return None

    def set_watchdog(self, seconds: float) -> None:
        """A kernel that runs longer is stopped and becomes a finding."""
        self._runtime.simt_set_watchdog(seconds)

    def _memory(self) -> _Memory:
        """What all devices hold and have held, added up; the peaks are those since they were reset."""
        total = _Memory()
        for device in range(_DEVICES):
            statistics = _Memory()
            self._runtime.simt_memory(device, ctypes.byref(statistics))
            for name in _STATISTICS:
                setattr(total, name, getattr(total, name) + getattr(statistics, name))
        return total

    def _lines(self, text: bytes | None) -> list[dict[str, Any]]:
        lines = (text or b"").decode("utf-8", "replace").splitlines()
        return [json.loads(line, parse_constant=str) for line in lines if line.strip()]

    def _writers(self, value: Any, calls: Sequence[dict[str, Any]]) -> dict[str, int] | None:
        """Bytes of a device tensor, or of an array that came back from the device, by their last writer."""
        if isinstance(value, numpy.ndarray):
            return writers_of(value, calls, self._runtime.simt_digest)
        if not isinstance(value, Tensor) or not value.is_cuda or value.layout != torch.strided:
            return None
        total = dict.fromkeys(WRITERS, 0)
        counts = (ctypes.c_uint64 * len(WRITERS))()
        for start, nbytes in _runs(value):
            self._runtime.simt_writers(start, nbytes, counts)
            for name, count in zip(WRITERS, counts, strict=True):
                total[name] += count
        return total


def _runs(tensor: Tensor) -> Iterator[tuple[int, int]]:
    """Address and length of the contiguous stretches that a tensor covers; its span where they are too
    many.
    """
    if tensor.numel() == 0:
        return
    itemsize = tensor.element_size()
    extent = sorted((stride, size) for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
                    if size > 1 and stride > 0)  # fmt: skip
    length = 1
    while extent and extent[0][0] == length:
        length *= extent.pop(0)[1]
    count = 1
    for _, size in extent:
        count *= size
    if count > _MOST_RUNS:
        span = sum(stride * (size - 1) for stride, size in extent) + length
        yield tensor.data_ptr(), span * itemsize
        return
    for position in itertools.product(*(range(size) for _, size in extent)):
        offset = sum(index * stride for index, (stride, _) in zip(position, extent, strict=True))
        yield tensor.data_ptr() + offset * itemsize, length * itemsize


def _name_tensor(finding: dict[str, Any], given: Sequence[Given], values: Sequence[Any]) -> None:
    """Add to a finding which argument or output its allocation belongs to, with what the index is computed
    from.
    """
    wrapped_offsets.explain(finding, (value for _, value in counting.named_values(values, given)))
    base = (finding.get("allocation") or {}).get("base")
    if base is None:
        return
    for name, value in counting.named_values(values, given):
        if isinstance(value, Tensor) and value.is_cuda and value.untyped_storage().data_ptr() == base:
            finding["tensor"] = {
                "name": name,
                "dtype": str(value.dtype).removeprefix("torch."),
                "itemsize": value.element_size(),
                "shape": list(value.shape),
                "strides": list(value.stride()),
                "storage_offset": value.storage_offset(),
            }
            return


def _crosses(line: dict[str, Any]) -> bool:
    """Whether a line of the log is a copy between host and device."""
    return line.get("copy", line.get("kind")) in ("h2d", "d2h")


def _copy_text(line: dict[str, Any]) -> str:
    name = line.get("operator", line.get("call", "copy"))
    way = "host to device" if line.get("copy", line.get("kind")) == "h2d" else "device to host"
    return f"{name} {way} of {line.get('bytes', 0)} bytes"
