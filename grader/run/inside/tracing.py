"""Traces of calls on the device, as far as the backend can record them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from grader.run.inside.arguments import Given
from grader.support.backends import WorkerBackend


class Tracer(Protocol):
    """One backend's view of a request: `begin`, `watch` around the call, `collect`, `count_live`."""

    def expect_no_threads(self) -> None:
        """A submission is about to be loaded: threads that are there later, where the backend can tell, are
        its own.
        """

    def begin(
        self, schedule: str, count: bool = False, refuse_launch: int = 0, refuse_library_call: int = 0
    ) -> None:
        """Clear the error that an earlier request left, and choose the order of blocks and threads.

        `count` asks for what every source line does to memory, where the backend can count it;
        `refuse_launch` makes that launch of the request fail, from 1, and `refuse_library_call` that call of
        a library, where the backend can.
        """

    def watch(
        self, traced: bool, device: int, prepare: Callable[[], None]
    ) -> contextlib.AbstractContextManager[None]:
        """Around the call: `prepare`, forget what came before, note the current stream of `device`.

        In the end it waits for the device, so that an asynchronous error is raised here.
        """

    def collect(self, values: Sequence[Any], given: Sequence[Given]) -> dict[str, Any]:
        """The trace so far; `values` are the outputs, whose last writers it names."""

    def count_live(self, trace: dict[str, Any]) -> None:
        """Add the change in live allocations to `trace`, after the outputs were dropped."""

    def lasting_error(self) -> str | None:
        """The device's error that only a new program clears, if there is one."""

    def alive(self) -> int:
        """Device allocations that are alive now, of all calls."""

    def set_watchdog(self, seconds: float) -> None:
        """Stop a kernel that runs longer, where the backend can."""


class NoTracer:
    """For backends without a device."""

    def expect_no_threads(self) -> None:
        """Nothing runs on a device beside them."""

    def begin(
        self, schedule: str, count: bool = False, refuse_launch: int = 0, refuse_library_call: int = 0
    ) -> None:
        """Nothing to clear and nothing to choose."""

    @contextlib.contextmanager
    def watch(self, traced: bool, device: int, prepare: Callable[[], None]) -> Iterator[None]:
        """Nothing to watch and nothing to wait for."""
        prepare()
        yield

    def collect(self, values: Sequence[Any], given: Sequence[Given]) -> dict[str, Any]:
        """An empty trace."""
        return {}

    def count_live(self, trace: dict[str, Any]) -> None:
        """Nothing to count."""

    def lasting_error(self) -> str | None:
        """Never."""
        return None

    def alive(self) -> int:
        """None that could be counted."""
        return 0

    def set_watchdog(self, seconds: float) -> None:
        """No kernels to stop."""


def tracer_for(backend: WorkerBackend) -> Tracer:
    """The tracer of `backend`."""
    if backend == "simt":
        from grader.run.inside.simt_tracing import SimtTracer

        return SimtTracer()
    if backend == "cuda":
        from grader.run.inside.cuda_tracing import CudaTracer

        return CudaTracer()
    return NoTracer()
