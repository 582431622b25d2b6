"""On the simulated GPU there are no times: what the contenders do to memory, side by side.

The reference solution is shown by its sums alone, never by its lines: a benchmark gives no answer away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cusimt.counters import LineCounts
from cusimt.counters.transactions import SECTOR
from cusimt.profile.model import Profile, Stage

NO_TIMES = "No simulated GPU says how fast a kernel is, so counters are compared, not times."
PARTIAL = (
    "Where less is moved than the operation needs, calls of libraries, which are not counted, move the rest, "
    "or elements are left out."
)
ONE_EACH = (
    "Requests of Triton are those of one element for each lane: how many a lane moves at once, and what goes "
    "through shared memory, is up to its compiler, which does not run here. Sectors are those of each tile "
    "in the order of its addresses."
)


@dataclass(frozen=True)
class Access:
    """What a call does to one tensor: requests of warps, and the sectors of 32 bytes that they move."""

    what: str  # "load of x"
    requests: int
    sectors: int

    @property
    def moved(self) -> int:
        """Bytes."""
        return self.sectors * SECTOR


@dataclass(frozen=True)
class Line:
    """The same of one line of the submission; ``fewest`` sectors would hold the bytes it asks for."""

    where: str
    source: str
    accesses: tuple[Access, ...]
    fewest: tuple[int, ...]


@dataclass(frozen=True)
class Counters:
    """Of one stage of a call. ``least`` is the byte model's minimum, None where the spec has none."""

    stage: str
    launches: int
    accesses: tuple[Access, ...]  # of global memory, by tensor
    conflicts: int  # of shared memory: wavefronts beyond the ideal
    least: int | None
    lines: tuple[Line, ...] = ()

    @property
    def requests(self) -> int:
        return sum(each.requests for each in self.accesses)

    @property
    def moved(self) -> int:
        return sum(each.moved for each in self.accesses)

    @property
    def is_partial(self) -> bool:
        """Whether less was counted than the operation needs: see `PARTIAL`."""
        return self.least is not None and self.moved < self.least

    @property
    def share(self) -> float | None:
        """The minimum over what is moved: 1 where no byte moves twice, below it else; None if partial."""
        return None if self.least is None or self.is_partial else self.least / self.moved


@dataclass(frozen=True)
class CounterBenchmark:
    """The counters of each contender by stage. The byte model is of forward."""

    exercise: str
    title: str
    device: str
    call: str
    case: str
    contenders: dict[str, tuple[Counters, ...]]
    notes: tuple[str, ...] = ()
    done: bool = True


def counters_of(profile: Profile, with_lines: bool) -> tuple[Counters, ...]:
    """What the profile counted, by stage; ``with_lines`` for a submission."""
    return tuple(_counters(stage, with_lines) for stage in profile.stages)


def _counters(stage: Stage, with_lines: bool) -> Counters:
    found: dict[str, list[int]] = {}
    conflicts = 0
    for launched in stage.launches:
        for line in launched.counts.lines:
            if line.space == "shared":
                conflicts += line.conflicts
                continue
            sums = found.setdefault(_what(stage, line), [0, 0])
            sums[0] += line.requests
            sums[1] += line.sectors
    accesses = tuple(Access(what, *sums) for what, sums in found.items())
    lines = _lines(stage) if with_lines else ()
    return Counters(stage.name, stage.launched, accesses, conflicts, stage.traffic, lines)


def _lines(stage: Stage) -> tuple[Line, ...]:
    found: dict[tuple[str, str], list[tuple[Access, int]]] = {}
    for launched in stage.launches:
        for line in launched.counts.lines:
            if line.space == "global":
                access = Access(_what(stage, line), line.requests, line.sectors)
                at = line.frame.where, line.frame.source.strip()
                found.setdefault(at, []).append((access, line.ideal_sectors))
    return tuple(
        Line(where, source, tuple(access for access, _ in each), tuple(fewest for _, fewest in each))
        for (where, source), each in found.items()
    )


def _what(stage: Stage, line: LineCounts) -> str:
    memory = stage.memory(line).name
    return f"{line.access} of {memory or 'memory without a name'}"


def pairs(benchmark: CounterBenchmark) -> Sequence[tuple[str, dict[str, Counters]]]:
    """For each stage that a contender has: the counters by contender."""
    names = dict.fromkeys(each.stage for found in benchmark.contenders.values() for each in found)
    return [(name, _of_stage(benchmark, name)) for name in names]


def _of_stage(benchmark: CounterBenchmark, stage: str) -> dict[str, Counters]:
    return {who: each for who, found in benchmark.contenders.items() for each in found if each.stage == stage}
