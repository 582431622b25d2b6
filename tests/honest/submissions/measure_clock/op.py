"""A benchmark for calls that queue work on the GPU, and bias + GELU measured with it: fused against unfused.

``python op.py`` prints the comparison. A *call* is any function without arguments, such as
``lambda: bias_gelu(x, bias)``; what it returns is not used.
"""

import contextlib
import gc
import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

import grader

grader.load("measure_first", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.measure_first

Call = Callable[[], object]


@dataclass(frozen=True)
class Measurement:
    """What one call takes. Milliseconds; bytes.

    ``median_ms``, ``low_ms`` and ``high_ms`` are median and quartiles of the device's time; ``host_ms`` is
    the median time until the call returns; ``first_ms`` is the very first call, until the device is done;
    ``peak_bytes`` is the most that a warm call has allocated beyond what was allocated before it.
    """

    median_ms: float
    low_ms: float
    high_ms: float
    host_ms: float
    first_ms: float
    peak_bytes: int


@dataclass(frozen=True)
class Comparison:
    """A call beside a baseline: how many times as fast, how much less memory, and the bandwidth reached."""

    speedup: float
    saved_bytes: int
    gigabytes_per_second: float


def bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """gelu(x + bias) in its tanh form, in one kernel; x of (..., columns), bias of (columns,)."""
    return _ops.bias_gelu(x, bias)


def hold(milliseconds: float) -> None:
    """Queue a kernel that keeps the current stream busy for at least that long. Returns at once."""
    _ops.hold(milliseconds)


class Clock(contextlib.AbstractContextManager):
    """Milliseconds of the host between entering and leaving."""

    elapsed: float = 0.0

    def __enter__(self):
        self._begin = time.perf_counter_ns()
        return self

    def __exit__(self, *exception):
        self.elapsed = (time.perf_counter_ns() - self._begin) / 1_000_000
        return None


@contextlib.contextmanager
def without_collection():
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def first_call(call: Call) -> float:
    """Milliseconds from the beginning of ``call`` until the device has finished what it queued."""
    torch.cuda.synchronize()
    with without_collection(), Clock() as clock:
        call()
        torch.cuda.synchronize()
    return clock.elapsed


def host_time(call: Call, rounds: int) -> float:
    """The median time in milliseconds until ``call`` returns, with nothing queued before it."""
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        with Clock() as clock:
            call()
        times.append(clock.elapsed)
    return statistics.median(times)


def peak_memory(call: Call) -> int:
    """The most bytes that ``call`` has allocated at any moment, beyond what was allocated before it."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_stats()["allocated_bytes.all.current"]
    _ = call()
    return torch.cuda.memory_stats()["allocated_bytes.all.peak"] - before


def eviction_buffer() -> torch.Tensor:
    """A tensor so large that writing it leaves nothing else in the L2 cache of the current device."""
    device = torch.device("cuda", torch.cuda.current_device())
    l2_bytes = torch.cuda.get_device_properties(device).L2_cache_size
    return torch.empty(2 * l2_bytes, dtype=torch.uint8, device=device)


def device_times(call: Call, rounds: int, head_start_ms: float) -> list[float]:
    """Milliseconds that ``call`` keeps the device busy, for each round: cold L2, launches queued ahead.

    ``head_start_ms`` is more than the host needs to queue one round.
    """
    flush = eviction_buffer()
    new_event = lambda: torch.cuda.Event(enable_timing=True)
    events = [(new_event(), new_event()) for _ in itertools.repeat(None, rounds)]
    for begin, end in events:
        hold(head_start_ms)
        flush.fill_(1)
        begin.record()
        call()
        end.record()
    events[-1][1].synchronize()
    return [*itertools.starmap(lambda begin, end: begin.elapsed_time(end), events)]


def measure(call: Call, warm_up: int = 10, rounds: int = 30) -> Measurement:
    """All of :class:`Measurement` for one call, made for the first time here."""
    first = first_call(call)
    for _ in range(warm_up):
        call()
    with without_collection():
        host, peak = host_time(call, rounds), peak_memory(call)
        times = sorted(device_times(call, rounds, head_start_ms=2.0 + 4 * host))
    low, median, high = statistics.quantiles(times, n=4, method="inclusive")
    return Measurement(float(median), float(low), float(high), host, first, peak)


def compare(call: Call, baseline: Call, bytes_moved: int, warm_up: int = 10, rounds: int = 30) -> Comparison:
    """``call`` beside ``baseline``. ``bytes_moved`` is the least that the operation reads and writes."""
    own, other = measure(call, warm_up, rounds), measure(baseline, warm_up, rounds)
    speedup = other.median_ms / own.median_ms
    saved_bytes = other.peak_bytes - own.peak_bytes
    gigabytes_per_second = bytes_moved / 1e9 / (own.median_ms / 1e3)
    return Comparison(speedup, saved_bytes, gigabytes_per_second)


def report(rows: int = 4096, columns: int = 4096) -> None:
    """Print fused against unfused bias + GELU, and a copy of x as the yardstick."""
    x, bias = (torch.randn(shape, device="cuda") for shape in ((rows, columns), (columns,)))
    calls: dict[str, Call] = {
        "fused": lambda: bias_gelu(x, bias),
        "unfused": lambda: torch.nn.functional.gelu(x + bias, approximate="tanh"),
        "copy of x": lambda: x.clone(),
    }
    for name, call in calls.items():
        found = measure(call)
        spread = f"{found.low_ms:.4f} to {found.high_ms:.4f}"
        print(
            f"{name:>9}: {found.median_ms:.4f} ms ({spread}), {found.host_ms:.4f} ms on the host, "
            f"{found.first_ms:.1f} ms at first, {found.peak_bytes / 2**20:.0f} MiB"
        )
    bytes_moved = (2 * x.numel() + bias.numel()) * x.element_size()
    found = compare(calls["fused"], calls["unfused"], bytes_moved)
    print(f"fused: {found.speedup:.2f} times as fast, {found.gigabytes_per_second:.0f} GB/s")


if __name__ == "__main__":
    report()
