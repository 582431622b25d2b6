"""A profile: the memory traffic of a call's or program's launches, with resources and occupancy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from cusimt.counters import LaunchCounts, LineCounts, in_order
from cusimt.counters.transactions import SECTOR
from cusimt.profile.occupancy import Device, Occupancy

__all__ = ["LaunchProfile", "Memory", "Profile", "Stage"]


@dataclass(frozen=True)
class Memory:
    """What lies at an allocation's address: the name of a tensor and the bytes of one of its elements."""

    name: str
    itemsize: int = 0


@dataclass(frozen=True)
class ResourceUsage:
    """What one thread and one block of a kernel need.

    `registers` is None if unknown. `source` says where the numbers come from: `ptxas` with the
    architecture, or an estimate with the reason. Spills are None in an estimate. `shared` is static shared
    memory in bytes.
    """

    registers: int | None
    shared: int
    source: str
    spill_stores: int | None = None
    spill_loads: int | None = None

    @property
    def estimated(self) -> bool:
        return self.spill_stores is None


@dataclass(frozen=True)
class LaunchProfile:
    """One launch, or several of one kernel and shape, whose counts are then added up."""

    name: str  # the instance: muladd_kernel<float>
    counts: LaunchCounts
    needs: ResourceUsage
    occupancy: Occupancy
    times: int = 1

    @property
    def moved(self) -> int:
        """Bytes of all sectors that the launch asked global memory for."""
        return sum(line.sectors for line in self.counts.lines) * SECTOR

    @property
    def least(self) -> int:
        """Bytes of the distinct sectors among them: what a launch must read or write at least once."""
        return self.counts.read_bytes + self.counts.written_bytes


@dataclass(frozen=True)
class Stage:
    """Forward, backward, or a whole program.

    `names` tells tensors by the address of their allocation. `traffic` are the bytes that the exercise's
    spec says the operation has to move. None stands for what is not known. `copies_meant` is True where
    copies between host and device are what the exercise is about.
    """

    name: str
    launches: tuple[LaunchProfile, ...]
    names: Mapping[int, Memory] = field(default_factory=dict)
    traffic: int | None = None
    launched: int = 0
    allocations: int | None = None
    host_syncs: int | None = None
    copies: tuple[str, ...] = ()
    copies_meant: bool = False

    def memory(self, line: LineCounts) -> Memory:
        """The tensor that a line's worst request went to, as far as it is known.

        Where the tensors of a call have names, memory without one is a temporary of it.
        """
        if line.space == "shared" or line.sample.allocation is None:
            return Memory("", line.bytes)
        return self.names.get(line.sample.allocation, Memory("a temporary" if self.names else "", line.bytes))


@dataclass(frozen=True)
class Profile:
    """`title` names the exercise or the program, `call` what was called, `case` the case of the spec."""

    title: str
    device: Device
    stages: tuple[Stage, ...]
    call: str = ""
    case: str = ""


def merged(launches: Sequence[LaunchProfile], names: Mapping[int, Memory]) -> tuple[LaunchProfile, ...]:
    """Launches of one kernel and shape on memory of the same `names` as one, in the order of first sight."""
    found: list[LaunchProfile] = []
    places: dict[tuple[object, ...], list[int]] = {}
    for each in launches:
        launch = each.counts.launch
        key = (
            each.name,
            launch.grid,
            launch.block,
            launch.blocks_run,
            launch.shared_bytes,
            launch.file,
            launch.line,
        )
        alike = places.setdefault(key, [])
        place = next((place for place in alike if _same_memory(found[place], each, names)), None)
        if place is None:
            alike.append(len(found))
            found.append(each)
        else:
            found[place] = _together(found[place], each)
    return tuple(found)


def _same_memory(first: LaunchProfile, second: LaunchProfile, names: Mapping[int, Memory]) -> bool:
    """Whether the lines that both launches reached went to memory of the same names."""
    a, b = (
        {key: names.get(line.sample.allocation or 0) for key, line in _numbered(each.counts.lines)}
        for each in (first, second)
    )
    return all(a[key] == b[key] for key in a.keys() & b.keys())


def _together(first: LaunchProfile, second: LaunchProfile) -> LaunchProfile:
    a, b = first.counts, second.counts
    lines = dict(_numbered(a.lines))
    for key, line in _numbered(b.lines):
        lines[key] = lines[key].plus(line) if key in lines else line
    counts = replace(
        a,
        lines=in_order(lines.values()),
        barriers=a.barriers + b.barriers,
        read_bytes=a.read_bytes + b.read_bytes,
        written_bytes=a.written_bytes + b.written_bytes,
        tensor_multiply_adds=a.tensor_multiply_adds + b.tensor_multiply_adds,
    )
    return replace(first, counts=counts, times=first.times + second.times)


def _numbered(lines: Sequence[LineCounts]) -> list[tuple[tuple[object, ...], LineCounts]]:
    """Each line with what it has in common with its like in another launch, whose addresses are others."""
    seen: dict[tuple[object, ...], int] = {}
    keyed: list[tuple[tuple[object, ...], LineCounts]] = []
    for line in lines:
        key = line.frame, line.space, line.access, line.bytes
        seen[key] = seen.get(key, 0) + 1
        keyed.append(((*key, seen[key]), line))
    return keyed
