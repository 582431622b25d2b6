"""Profiles made by hand: lines, launches and stages with counts that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cusimt.counters import Access, LaunchCounts, LineCounts, Sample, Space
from cusimt.counters.transactions import ideal_sectors, ideal_wavefronts, sectors, wavefronts
from cusimt.profile.model import LaunchProfile, Memory, Profile, ResourceUsage, Stage
from cusimt.profile.occupancy import occupancy, simulated_device
from cusimt.records.launches import Launch
from cusimt.records.source_lines import Frame

SOURCE = """\
__global__ void copy(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = x[32 * i];
}
"""
X, Y = 0x1000, 0x2000


def line(
    where: Callable[[int], int], number: int = 4, *, space: Space = "global", access: Access = "load",
    nbytes: int = 4, requests: int = 100, lanes: range = range(32), allocation: int | None = X,
    file: str = "/course/kernel.cu",
) -> LineCounts:  # fmt: skip
    """`requests` equal requests in which lane l goes to byte where(l)."""
    addresses = tuple(where(lane) if lane in lanes else None for lane in range(32))
    glob, shared = (requests, 0) if space == "global" else (0, requests)
    return LineCounts(
        frame=Frame(file, number, SOURCE.splitlines()[number - 1]),
        pc=0,
        space=space,
        access=access,
        bytes=nbytes,
        requests=requests,
        sectors=glob * sectors(addresses, nbytes),
        wavefronts=shared * wavefronts(addresses, nbytes, access),
        lanes=requests * len(lanes),
        ideal_sectors=glob * ideal_sectors(addresses, nbytes),
        ideal_wavefronts=shared * ideal_wavefronts(addresses, nbytes, access),
        sample=Sample(addresses, nbytes, space, allocation if space == "global" else None, (0, 0, 0), 0),
    )


def launched(
    lines: Sequence[LineCounts], *, name: str = "copy", grid: int = 8, block: int = 256, registers: int = 16,
    spilled: int = 0, shared: int = 0, barriers: int = 0, least: int = 0, written: int = 0, times: int = 1,
) -> LaunchProfile:  # fmt: skip
    """A launch with these lines; without `least` it touched every sector once, `written` bytes to write."""
    launch = Launch(name, (grid, 1, 1), (block, 1, 1), 0, 0, 0, "/course/kernel.cu", 9, 0, 2.0)
    touched = least or 32 * sum(each.sectors for each in lines)
    counts = LaunchCounts(launch, tuple(lines), barriers, touched, written)
    needs = ResourceUsage(registers, shared, "ptxas for sm_90", spilled, spilled)
    return LaunchProfile(name, counts, needs, occupancy(simulated_device(), block, registers, shared), times)


def stage(launches: Sequence[LaunchProfile], name: str = "forward", **more: Any) -> Stage:
    names: Mapping[int, Memory] = {X: Memory("x", 4), Y: Memory("y", 4)}
    return Stage(name, tuple(launches), names, launched=len(launches), host_syncs=0, **more)


def profile(*stages: Stage) -> Profile:
    return Profile("03_copy", simulated_device(), stages, "copy(x: float32 (2048,))", "a case")


def write_source(folder: Path) -> str:
    """The source file that the lines are about; returns its path for `line(file=...)`."""
    path = folder / "kernel.cu"
    path.write_text(SOURCE)
    return str(path)
