"""Puts what depends on the GPU model into the lessons; with ``--check`` only compares.

For every exercise that is timed, and every model that can be simulated: the floor of the timed call at the
model's bandwidth, how often its traffic fills the L2 cache, and what the solution's kernels were counted to do
and to occupy. Bandwidth and sizes are those of the simulator's own table of models.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from generated import bring_up_to_date
from profiles import COURSE, profile

from cusimt.counters.transactions import SECTOR
from cusimt.profile.model import LaunchProfile, Profile
from cusimt.profile.occupancy import Device, known_devices
from grader.course.catalog import Catalog, Exercise
from grader.specification import Spec, TensorSpec, load_spec

FOLDER = COURSE / "docs" / "_generated" / "models"
MOST_KERNELS = 3  # of a call, those that move most


def timed() -> list[Exercise]:
    """The exercises whose solution is profiled like most: from a kernel.cu."""
    found = Catalog.open(COURSE).exercises
    return [each for each in found if "performance" in each.scores and "kernel.cu" in each.build.sources]


def page(exercise: Exercise) -> str:
    """The table of one exercise."""
    spec = load_spec(exercise)
    devices = known_devices()
    usual = profile(exercise.slug[:2], device="h200")
    counted = {
        key: profile(exercise.slug[:2], device=key) if _fits(usual, each) else None for key, each in devices.items()
    }
    traffic = _least(spec)
    case = usual.case
    rows: list[list[str]] = [
        ["bandwidth of its memory", *(f"{each.bandwidth / 1e12:.3g} TB/s" for each in devices.values())],
        [f"floor of the timed call, {traffic / 1e6:,.1f} MB", *(_floor(traffic, each) for each in devices.values())],
        ["that traffic, in L2 caches", *(f"{traffic / each.l2:.1f}" for each in devices.values())],
        [f"requested for \"{case}\"", *(_moved(each) for each in counted.values())],
        *_kernels(counted),
    ]  # fmt: skip
    header = ["", *(f"`{key}`" for key in devices)]
    lines = [header, ["---", *["--:"] * len(devices)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _fits(counted: Profile, device: Device) -> bool:
    """Whether a multiprocessor has the shared memory for one block of each of these launches."""
    launches = [each.counts.launch for stage in counted.stages for each in stage.launches]
    return all(each.shared_bytes + device.shared_reserved <= device.shared for each in launches)


def _least(spec: Spec) -> int:
    assert spec.speed is not None and spec.traffic is not None
    return spec.traffic(*(_shaped(each) for each in spec.speed.args))


def _shaped(argument: object) -> object:
    if not isinstance(argument, TensorSpec):
        return argument
    return torch.empty(argument.shape, dtype=getattr(torch, argument.dtype), device="meta")


def _floor(traffic: int, device: Device) -> str:
    return f"{1e3 * traffic / device.bandwidth:.3g} ms"


def _kib(nbytes: int) -> str:
    return f"{nbytes / 1024:,.0f} KiB"


def _moved(counted: Profile | None) -> str:
    if counted is None:
        return "too little shared memory"
    lines = [line for launched in counted.stages[0].launches for line in launched.counts.lines]
    return _kib(SECTOR * sum(line.sectors for line in lines))


def _kernels(counted: dict[str, Profile | None]) -> list[list[str]]:
    """Of each kernel of forward: its blocks, and the warps that a multiprocessor holds of it."""
    launches = {key: each.stages[0].launches if each else () for key, each in counted.items()}
    names = dict.fromkeys(launch.name for found in launches.values() for launch in _largest(found))
    rows = []
    for name in names:
        of = [next((each for each in found if each.name == name), None) for found in launches.values()]
        rows.append([f"`{name}`: blocks", *(_blocks(each) for each in of)])
        rows.append(["warps of it on a multiprocessor", *(_occupied(each) for each in of)])
    return rows


def _largest(found: Sequence[LaunchProfile]) -> list[LaunchProfile]:
    return sorted(found, key=lambda each: -each.moved)[:MOST_KERNELS]


def _blocks(launch: LaunchProfile | None) -> str:
    if launch is None:
        return "not launched"
    x, y, z = launch.counts.launch.grid
    return f"{x * y * z:,}"


def _occupied(launch: LaunchProfile | None) -> str:
    if launch is None:
        return ""
    found = launch.occupancy
    return f"{found.warps} of {found.most_warps}, by {found.limit}"


def files() -> Iterator[tuple[Path, str]]:
    for exercise in timed():
        yield FOLDER / f"{exercise.slug}.md", page(exercise)


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(files(), "--check" in sys.argv[1:], "models.py"))
