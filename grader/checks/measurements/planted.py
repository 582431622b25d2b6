"""A planted workload in the worker: calls that take a known time and a known amount of memory."""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor

from grader.checks.measurements.recorder import Recorder

_LIVE = 14 << 20  # bytes in use before a benchmark begins


class Host(Protocol):
    """The host's clock, and a way to make the host busy."""

    def seconds(self) -> float: ...
    def work(self, microseconds: float) -> None: ...


class Planted:
    """One workload: a call passes the time that it is said to take, on the host and on the current stream."""

    def __init__(self, plan: dict[str, Any], host: Host, record: Recorder, rate: float) -> None:
        self._plan = plan
        self._host = host
        self._record = record
        self._rate = rate  # cycles a microsecond
        self._kept: Tensor | None = None
        self.calls = 0

    def before(self) -> Tensor | None:
        """What an application did earlier: a peak that has passed, memory in use, work that is queued."""
        if self._plan["peak_before"]:
            _allocated(self._plan["peak_before"])
        live = _allocated(_LIVE)
        if self._plan["earlier_us"]:
            self._spin(self._plan["earlier_us"])
        return live

    def call(self) -> Tensor | None:
        with self._record.paused():
            return self._call(cold=self.calls == 0 or self._record.evicted)

    def _call(self, cold: bool) -> Tensor | None:
        plan = self._plan
        slow = plan["slow_factor"] if self.calls < plan["slow_calls"] else 1.0
        if self.calls == 0:
            self._host.work(plan["first_us"])
            self._kept = _allocated(plan["kept_bytes"])
        factor = slow * self._factor("pattern") * (1.0 if cold else plan["cached"])
        host_us = plan["host_us"] * slow * self._factor("host_pattern")
        self.calls += 1
        temporary, result = _allocated(plan["temporary_bytes"]), _allocated(plan["result_bytes"])
        for _ in range(plan["launches"]):
            self._host.work(host_us)
            self._spin(plan["device_us"] * factor)
        del temporary
        return result

    def _factor(self, name: str) -> float:
        """Of this call, by the pattern of that name, which begins after the slow calls."""
        pattern, warm = self._plan[name], self.calls - self._plan["slow_calls"]
        return float(pattern[warm % len(pattern)]) if warm >= 0 else 1.0

    def _spin(self, microseconds: float) -> None:
        torch.cuda._sleep(int(microseconds * self._rate))  # type: ignore[no-untyped-call]


def _allocated(size: int) -> Tensor | None:
    return torch.empty(size, dtype=torch.uint8, device="cuda") if size else None
