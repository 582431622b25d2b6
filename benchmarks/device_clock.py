"""Times on a GPU: medians of CUDA events, cold L2, and every launch queued before the device may begin.

Events around a call whose launches take longer on the host than on the device measure the host: the device
waits between the events. So each round first keeps the device busy, for longer than any call here takes to
launch, and the call joins a queue that has not begun to drain.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

ROUNDS = 30
COPY_BYTES = 1 << 30
_CYCLES_A_SECOND = 2e9  # at most, on GPUs of today


def milliseconds(work: Callable[[], object]) -> float:
    """The median device time of ``work``. Before every round 256 MB are written, so that L2 is cold.

    The device is kept busy for three times as long as ``work`` took to launch; a round that takes longer
    anyway is dropped, and RuntimeError says when half of them were.
    """
    flush = torch.empty(1 << 26, device="cuda")
    for _ in range(3):
        work()
    ahead = 1e-3 + 3 * launch_microseconds(work, calls=20) * 1e-6
    times = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        torch.cuda._sleep(int(ahead * _CYCLES_A_SECOND))
        flush.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        launched = time.perf_counter()
        begin.record()
        work()
        end.record()
        launched = time.perf_counter() - launched
        torch.cuda.synchronize()
        if launched < ahead:
            times.append(begin.elapsed_time(end))
    if len(times) < ROUNDS // 2:
        raise RuntimeError("The host was too slow to queue the launches ahead; nothing was measured.")
    return statistics.median(times)


def launch_microseconds(work: Callable[[], object], calls: int = 200) -> float:
    """The median host time of a call that only has to be queued, without waiting for the device."""
    work()
    times = []
    for _ in range(calls):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def wall_milliseconds(work: Callable[[], object], rounds: int = 10) -> float:
    """The median wall-clock time of ``work`` on the host, until the device has finished."""
    work()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def copy_bandwidth() -> float:
    """Bytes per millisecond of a large copy within the device, reads and writes both counted."""
    source = torch.empty(COPY_BYTES, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * COPY_BYTES / milliseconds(lambda: target.copy_(source))
