"""The host's simulated time: what takes it how long, and that it waits until the device is done."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cusimt.gpu_models import DEVICE_VARIABLE
from cusimt.tests.device.process import ROOT, on_device


@on_device
def test_the_hosts_clock_passes_by_launches_work_and_waiting() -> None:
    import torch

    from cusimt.counters.host_clock import HostClock

    clock = HostClock()

    def since(begin: float) -> float:
        return (clock.seconds() - begin) * 1e6

    begin = clock.seconds()
    assert since(begin) == pytest.approx(1, abs=0.1)  # reading it takes a microsecond
    begin = clock.seconds()
    clock.work(250.0)
    assert since(begin) == pytest.approx(251, abs=0.1)
    begin = clock.seconds()
    torch.cuda._sleep(1980 * 1000)  # a millisecond of the device
    assert since(begin) == pytest.approx(2.5, abs=0.1)  # the host only queues it
    torch.cuda.synchronize()
    assert since(begin) == pytest.approx(1001, abs=5)


@on_device
def test_work_of_the_host_runs_beside_the_device() -> None:
    import torch

    from cusimt.counters.host_clock import HostClock

    clock = HostClock()
    begin = clock.seconds()
    torch.cuda._sleep(1980 * 300)
    clock.work(200.0)
    torch.cuda.synchronize()
    assert (clock.seconds() - begin) * 1e6 == pytest.approx(301, abs=5)


@on_device
def test_the_clock_stays_exact_over_many_seconds() -> None:
    from cusimt.counters.host_clock import HostClock

    clock = HostClock()
    for _ in range(100):
        clock.work(1e6)
    begin = clock.seconds()
    assert begin == pytest.approx(100, abs=1e-3)
    clock.work(50.0)
    assert (clock.seconds() - begin) * 1e6 == pytest.approx(51, abs=1)


@on_device
def test_sleeping_takes_the_current_stream_its_time() -> None:
    import torch

    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        start.record()
        torch.cuda._sleep(1980 * 500)
        stop.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(stop) == pytest.approx(0.5, abs=0.01)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    with torch.cuda.stream(side):
        torch.cuda._sleep(1980 * 500)
    end.record()
    torch.cuda.synchronize()
    assert begin.elapsed_time(end) < 0.01  # another stream's time is its own


@pytest.mark.slow("a process of its own, which imports torch")
def test_cycles_are_those_of_the_chosen_gpu() -> None:
    program = (
        "from cusimt.activate import activate; activate(); import torch\n"
        "start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
        "start.record(); torch.cuda._sleep(1410 * 500); stop.record(); torch.cuda.synchronize()\n"
        "print(torch.cuda.get_device_properties(0).clock_rate, start.elapsed_time(stop))"
    )
    environment = {**os.environ, DEVICE_VARIABLE: "a100"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    clock, milliseconds = done.stdout.split()
    assert clock == "1410000"
    assert float(milliseconds) == pytest.approx(0.5, abs=0.01)
