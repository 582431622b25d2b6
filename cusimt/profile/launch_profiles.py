"""From counted launches to a stage of a profile: the instance, its resources, its occupancy."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cusimt.compiler.sources import is_cuda
from cusimt.counters import LaunchCounts, in_order
from cusimt.profile import estimate
from cusimt.profile.instances import base_name, functions_of, instance_of
from cusimt.profile.model import LaunchProfile, Memory, ResourceUsage, merged
from cusimt.profile.occupancy import Device, Occupancy, occupancy
from cusimt.profile.resources import PtxasAnswer, compiled, shared_arrays
from cusimt.records.source_lines import Frame, compiled_sources

__all__ = ["held", "launched", "shared_memory"]


def launched(
    counts: Sequence[LaunchCounts], device: Device, names: Mapping[int, Memory]
) -> tuple[LaunchProfile, ...]:
    """Every launch with its resources and occupancy; equal launches are merged. `names` as in `Stage`."""
    located = [_located(each) for each in counts]
    instances = [instance_of(each) for each in located]
    ran: dict[Path | None, dict[str, None]] = {}
    for each, name in zip(located, instances, strict=True):
        ran.setdefault(_source_of(each), {})[name] = None
    architecture = "sm_{}{}".format(*device.capability)
    answers = {source: _answer(source, architecture, tuple(sorted(ran[source]))) for source in ran}
    found = []
    for each, name in zip(located, instances, strict=True):
        source = _source_of(each)
        found.append(_launched(name, each, _needs(name, each, source, answers[source], architecture), device))
    return merged(found, names)


def held(counts: LaunchCounts, device: Device) -> Occupancy:
    """What a multiprocessor holds of a launch by its block size and shared memory alone.

    Both are known without nvcc; registers are left out of the account.
    """
    block = counts.launch.block
    return occupancy(device, block[0] * block[1] * block[2], None, shared_memory(counts))


def shared_memory(counts: LaunchCounts) -> int:
    """Bytes that each block of a launch has of it, static and dynamic."""
    launch = counts.launch
    return _static_shared(_located(counts)) + launch.shared_bytes


def _static_shared(counts: LaunchCounts) -> int:
    """Bytes of the arrays of the kernel and of the functions that it called."""
    owners = functions_of(counts) | {instance_of(counts)}
    arrays = _shared_arrays(counts.launch.module)
    return sum(size for function, size in arrays.items() if function in owners)


def _located(counts: LaunchCounts) -> LaunchCounts:
    """Lines unknown to the debugging information appear as the line of the launch."""
    if all(line.frame.file for line in counts.lines):
        return counts
    site = compiled_sources(Frame(counts.launch.file, counts.launch.line))
    lines = (line if line.frame.file else replace(line, frame=site) for line in counts.lines)
    return replace(counts, lines=in_order(lines))


def _launched(name: str, counts: LaunchCounts, needs: ResourceUsage, device: Device) -> LaunchProfile:
    launch = counts.launch
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    shared = needs.shared + launch.shared_bytes
    return LaunchProfile(name, counts, needs, occupancy(device, threads, needs.registers, shared))


def _answer(source: Path | None, architecture: str, instances: tuple[str, ...]) -> PtxasAnswer:
    return _compiled(source, architecture, instances) if source else PtxasAnswer({}, "there is no .cu file")


def _needs(
    name: str, counts: LaunchCounts, source: Path | None, answer: PtxasAnswer, architecture: str
) -> ResourceUsage:
    if name in answer.kernels:
        found = answer.kernels[name]
        return ResourceUsage(
            found.registers, found.shared, f"ptxas for {architecture}", found.spill_stores, found.spill_loads
        )
    shared = _static_shared(counts)
    why = answer.why_not or f"nvcc compiled no {name}"
    guess = estimate.registers(_text(source), base_name(name)) if source else None
    return ResourceUsage(guess, shared, f"{'estimated from the source' if guess else 'no estimate'}: {why}")


def _source_of(counts: LaunchCounts) -> Path | None:
    """The `.cu` file that the kernel, or else its launch, stands in."""
    files = [line.frame.file for line in counts.lines] + [counts.launch.file]
    return next((Path(file) for file in files if file and is_cuda(Path(file)) and Path(file).is_file()), None)


_compiled = functools.cache(compiled)


@functools.cache
def _shared_arrays(module: str) -> dict[str, int]:
    return shared_arrays(Path(module)) if module else {}


@functools.cache
def _text(source: Path) -> str:
    return source.read_text(encoding="utf-8", errors="replace")
