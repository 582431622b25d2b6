"""Counts of a launch in the units of Nsight Compute: requests, sectors, wavefronts per source line.

    with counting() as counts:               # this process
        y = my_op(x)
    for line in counts[0].lines:
        print(line.frame.where, line.access, line.sectors_per_request)

The checked build instruments every access of every lane; the runtime groups them into requests of a warp by
the rule in runtime/counting.h and counts per instruction. Here instructions become source lines, through the
same debugging information as those of findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from cusimt.counters.transactions import SECTOR, Access
from cusimt.records import Record, load_runtime, take_records
from cusimt.records.launches import Dim3, Launch, launch_of
from cusimt.records.source_lines import NOWHERE, Frame, Site, SourceReader, frames_of

WARP = 32  # lanes
_SUMS = ("requests", "sectors", "wavefronts", "lanes", "ideal_sectors", "ideal_wavefronts")
Space = Literal["global", "shared"]


@dataclass(frozen=True)
class Sample:
    """One request of a warp: the addresses of its 32 lanes.

    Addresses are bytes from the beginning of the allocation (of the section for a `__device__` variable), or
    of the block's shared memory; None: the lane was inactive.
    """

    addresses: tuple[int | None, ...]
    bytes: int  # per lane
    base: Space
    allocation: int | None  # address of the allocation; None: shared memory or a variable
    block: Dim3
    warp: int


@dataclass(frozen=True)
class LineCounts:
    """The accesses of one kind and size by one line to one allocation, or to shared memory.

    `sectors` (32 bytes) are counted for global memory, `wavefronts` (passes over the 32 banks) for shared
    memory; the other is 0. The ideal is what the same distinct bytes would take if packed, and for
    shared memory the wavefronts without bank conflicts.
    """

    frame: Frame
    pc: int  # an instruction of the line: an offset in the launch's module
    space: Space
    access: Access
    bytes: int  # per lane
    requests: int  # of a warp
    sectors: int
    wavefronts: int
    lanes: int  # active ones, summed over the requests
    ideal_sectors: int
    ideal_wavefronts: int
    sample: Sample  # the worst request: the most sectors or wavefronts beyond its ideal
    calls: tuple[int, ...] = ()  # that led to `pc`, as offsets, innermost first; the last is in the kernel

    @property
    def sectors_per_request(self) -> float:
        return self.sectors / self.requests

    @property
    def conflicts(self) -> int:
        """Wavefronts beyond the ideal: what bank conflicts cost."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def efficiency(self) -> float:
        """Between 0 and 1: the ideal traffic over the actual one."""
        if self.space == "shared":
            return self.ideal_wavefronts / self.wavefronts
        return self.ideal_sectors / self.sectors

    @property
    def active_lanes(self) -> float:
        """Active lanes of a request, on average: 32 without divergence and tail."""
        return self.lanes / self.requests

    @property
    def idle_lanes(self) -> int:
        """Lanes that did not take part, summed over the requests."""
        return WARP * self.requests - self.lanes

    def plus(self, other: LineCounts) -> LineCounts:
        """Both together, at this line and pc; the sample is that of the less efficient one."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        worst = self if self.efficiency <= other.efficiency else other
        return replace(self, **sums, sample=worst.sample)


@dataclass(frozen=True)
class LaunchCounts:
    """One launch. `read_bytes` and `written_bytes`: distinct sectors of global memory it touched, in bytes.

    That is the least traffic between L2 and memory; an atomic both reads and writes.
    """

    launch: Launch
    lines: tuple[LineCounts, ...]  # by file and line
    barriers: int  # executed by warps: one barrier of a block of 8 warps counts 8
    read_bytes: int
    written_bytes: int
    tensor_multiply_adds: int = 0  # of tensor cores: one product of 16 x 16 x 16 by a warp counts 4096

    def total(self, field: str, space: Space, access: Access) -> int:
        """The sum of one of LineCounts' fields over the lines with accesses of that kind."""
        matching = (line for line in self.lines if line.space == space and line.access == access)
        return sum(int(getattr(line, field)) for line in matching)

    @property
    def global_load_requests(self) -> int:
        return self.total("requests", "global", "load")

    @property
    def global_load_sectors(self) -> int:
        return self.total("sectors", "global", "load")

    @property
    def global_store_requests(self) -> int:
        return self.total("requests", "global", "store")

    @property
    def global_store_sectors(self) -> int:
        return self.total("sectors", "global", "store")

    @property
    def shared_load_requests(self) -> int:
        return self.total("requests", "shared", "load")

    @property
    def shared_load_wavefronts(self) -> int:
        return self.total("wavefronts", "shared", "load")

    @property
    def shared_store_wavefronts(self) -> int:
        return self.total("wavefronts", "shared", "store")

    @property
    def conflicts(self) -> int:
        return sum(line.conflicts for line in self.lines if line.space == "shared")


def in_order(lines: Iterable[LineCounts]) -> tuple[LineCounts, ...]:
    """By file and line."""
    return tuple(sorted(lines, key=lambda line: (line.frame.file, line.frame.line)))


def symbolise(
    raw: Iterable[Record], source_roots: Sequence[Path] = (), quote: SourceReader | None = None
) -> list[LaunchCounts]:
    """The runtime's counts with their lines. `source_roots` and `quote` are those of `findings.symbolise`.

    Raises ValueError for malformed records.
    """
    records = list(raw)
    try:
        frames = frames_of(_sites(records), source_roots, quote)
        return [_launch_counts(record, frames) for record in records]
    except (KeyError, TypeError) as wrong:
        raise ValueError(f"not a record of counts: {wrong}") from wrong


def take_counts(source_roots: Sequence[Path] = ()) -> list[LaunchCounts]:
    """The counts of launches since the last call, one value per launch."""
    return symbolise(take_raw(), source_roots)


def take_raw() -> list[dict[str, Any]]:
    """The same as records, which a worker can send: `symbolise` adds the lines."""
    return take_records("counts")


def set_counting(on: bool) -> None:
    """Turn counting of later launches of checked modules on or off."""
    load_runtime().simt_set_counting(int(on))


@contextmanager
def counting(source_roots: Sequence[Path] = ()) -> Iterator[list[LaunchCounts]]:
    """Count the launches within the block; the list is filled when the block ends."""
    counts: list[LaunchCounts] = []
    take_raw()  # drop counts of earlier launches
    set_counting(True)
    try:
        yield counts
    finally:
        set_counting(False)
        counts.extend(take_counts(source_roots))


# ---- from JSON -----------------------------------------------------------------------------------------


def _sites(records: Iterable[Record]) -> Iterator[Site]:
    for record in records:
        for site in record["sites"]:
            yield str(record["module"]), int(site["pc"])


def _launch_counts(record: Record, frames: Mapping[Site, Frame]) -> LaunchCounts:
    module = str(record["module"])
    lines: dict[tuple[object, ...], LineCounts] = {}
    for site in record["sites"]:
        line = _line_counts(site, frames.get((module, int(site["pc"])), NOWHERE))
        key = line.frame, line.space, line.access, line.bytes, line.sample.allocation
        earlier = lines.get(key)
        lines[key] = earlier.plus(line) if earlier else line
    return LaunchCounts(
        launch=launch_of(record),
        lines=in_order(lines.values()),
        barriers=int(record["barriers"]),
        read_bytes=int(record["read_sectors"]) * SECTOR,
        written_bytes=int(record["written_sectors"]) * SECTOR,
        tensor_multiply_adds=int(record["tensor_multiply_adds"]),
    )


def _line_counts(site: Record, frame: Frame) -> LineCounts:
    sample, space = site["sample"], site["space"]
    return LineCounts(
        frame=frame,
        pc=int(site["pc"]),
        space=space,
        access=site["access"],
        **{name: int(site[name]) for name in ("bytes", *_SUMS)},
        sample=Sample(
            addresses=tuple(sample["addresses"]),
            bytes=int(site["bytes"]),
            base=space,
            allocation=sample["allocation"],
            block=(sample["block"][0], sample["block"][1], sample["block"][2]),
            warp=int(sample["warp"]),
        ),
        calls=tuple(map(int, site.get("calls") or ())),
    )
