"""A benchmark for calls that queue work on the GPU, and bias + GELU measured with it: fused against unfused.

``python op.py`` prints the comparison. A *call* is any function without arguments, such as
``lambda: bias_gelu(x, bias)``; what it returns is not used.
"""

from time import perf_counter
from collections.abc import Callable
from dataclasses import dataclass

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


def first_call(call: Call) -> float:
    """Milliseconds from the beginning of ``call`` until the device has finished what it queued."""
    device = torch.cuda.current_device()
    torch.cuda.synchronize(device)
    begin = perf_counter()
    call()
    torch.cuda.current_stream(device).synchronize()
    torch.cuda.synchronize(device)
    return 1000 * (perf_counter() - begin)


def host_time(call: Call, rounds: int) -> float:
    """The median time in milliseconds until ``call`` returns, with nothing queued before it."""
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = perf_counter()
        call()
        times.append(1000 * (perf_counter() - begin))
    return torch.tensor(times, dtype=torch.float64).quantile(0.5).item()


def peak_memory(call: Call) -> int:
    """The most bytes that ``call`` has allocated at any moment, beyond what was allocated before it."""
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    return torch.cuda.max_memory_allocated() - before


def eviction_buffer() -> torch.Tensor:
    """A tensor so large that writing it leaves nothing else in the L2 cache of the current device."""
    device = torch.device("cuda", torch.cuda.current_device())
    l2_bytes = torch.cuda.get_device_properties(device).L2_cache_size
    return torch.empty(2 * l2_bytes, dtype=torch.uint8, device=device)


def device_times(call: Call, rounds: int, head_start_ms: float) -> list[float]:
    """Milliseconds that ``call`` keeps the device busy, for each round: cold L2, launches queued ahead.

    ``head_start_ms`` is more than the host needs to queue one round.
    """
    l2 = eviction_buffer()
    starts = [torch.cuda.Event(enable_timing=True) for _ in range(rounds)]
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(rounds)]
    stream = torch.cuda.current_stream()
    for i in range(rounds):
        with torch.cuda.nvtx.range(f"round {i}"):
            hold(head_start_ms)
            torch.zeros(l2.shape, dtype=l2.dtype, out=l2)
            starts[i].record(stream)
            call()
            ends[i].record(stream)
    while not ends[-1].query():
        pass
    torch.cuda.synchronize()
    return [s.elapsed_time(e) for s, e in zip(starts, ends)]


def measure(call: Call, warm_up: int = 10, rounds: int = 30) -> Measurement:
    """All of :class:`Measurement` for one call, made for the first time here."""
    first = first_call(call)
    [call() for _ in range(warm_up)]
    host = host_time(call, rounds=rounds)
    peak = peak_memory(call)
    times = torch.tensor(device_times(call, rounds, 1 + 3 * host), dtype=torch.float64)
    low, median, high = (torch.quantile(times, q).item() for q in (0.25, 0.5, 0.75))
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
