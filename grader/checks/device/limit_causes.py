"""Why a count exceeds its limit: the source line that causes most of it, and what that line does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from cusimt.counters import LaunchCounts, LineCounts
from cusimt.counters.transactions import SECTOR
from cusimt.profile.model import Memory
from cusimt.profile.occupancy import WARP
from cusimt.profile.phrases import VERBS, counted, number
from cusimt.profile.remarks import waste
from cusimt.records.source_lines import NOWHERE, Frame, SourceReader
from cusimt.support.words import listed
from grader.checks.device.launch_resources import most_demanding, needed, why_needed
from grader.specification.efficiency import METRICS, Metric
from grader.verdict import WarpRequest

_COPYING = ("aten::contiguous", "aten::clone", "aten::copy_", "aten::reshape", "aten::_to_copy")
WIDEST = 16 * WARP  # bytes that one request moves at most
_PLACES = 6  # lines that are listed; a loop that was unrolled by hand has more
_DONE = {"load": "read", "store": "written", "atomic": "updated"}
_ALL = {"load": "reads", "store": "writes", "atomic": "updates"}
_AGAIN = 1.05  # times every sector: from there on memory is asked for what was there before


@dataclass(frozen=True)
class CountedStage:
    """A forward or backward call: the launches of the learner's kernels, the tensors by address, the folder
    of the sources; the number of allocations of device memory and the bytes held at once, and the operators
    that the call used. ``called`` are its calls of libraries.
    ``sizes`` are bytes of tensors by name; ``of`` is the one tensor whose accesses are left (`only`), or "".
    """

    call: str
    launches: tuple[LaunchCounts, ...]
    names: Mapping[int, Memory]
    files: Path
    allocations: int = 0
    peak_bytes: int = 0
    called: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    of: str = ""

    @property
    def library_calls(self) -> int:
        return len(self.called)

    def only(self, name: str) -> CountedStage:
        """The accesses to the tensor `name`, one of ``sizes``."""
        nbytes = self.sizes[name]
        kept = []
        for position, each in enumerate(self.launches):
            lines = tuple(line for line in each.lines if line.space == "global" and self.name(line) == name)
            touched = 0 if position else nbytes  # once, whatever the number of launches
            kept.append(replace(each, lines=lines, read_bytes=touched, written_bytes=touched))
        return replace(self, launches=tuple(kept), of=name)

    def name(self, line: LineCounts) -> str:
        """The tensor that a line went to; memory without a name is a temporary."""
        if line.sample.allocation is None:
            return ""
        known = self.names.get(line.sample.allocation)
        return known.name if known else "a temporary"

    def request(self, line: LineCounts) -> WarpRequest:
        """The worst request of a line, for a picture of it."""
        sample = line.sample
        known = self.names.get(sample.allocation) if sample.allocation is not None else None
        itemsize = known.itemsize if known else line.bytes
        return WarpRequest(
            sample.base, line.access, sample.bytes, sample.addresses, self.name(line), itemsize
        )


def amount_of(metric: Metric, stage: CountedStage) -> int | None:
    """What was counted of `metric` in the call; None for what this machine does not know."""
    if metric.of_call:
        return int(getattr(stage, metric.field))
    launches = stage.launches
    if metric.of_kernel:
        return needed(metric.field, launches)
    if metric.field == "launches":
        return len(launches)
    if metric.space is None:
        return sum(int(getattr(each, metric.field)) for each in launches)
    return sum(int(getattr(line, metric.field)) for line in _lines(metric, launches))


def in_words(metric: Metric, amount: float, of: str = "") -> str:
    """``4,096 sectors read from global memory``, or of one tensor ``4,096 sectors of x read from ...``."""
    subject = f" of {of}" if of else ""
    doing = "" if of and metric.doing.startswith("of ") else metric.doing
    return f"{counted(amount, metric.unit, metric.plural)}{subject} {doing}".strip()


class Reason(NamedTuple):
    """A sentence without its place; the place, a line of the learner's, or the launch, or nowhere; and the
    access to memory that it is about.
    """

    text: str
    frame: Frame
    line: LineCounts | None = None


def reason(metric: Metric, stage: CountedStage, amount: int, most: float) -> Reason:
    """Why `metric` exceeds its limit."""
    if metric.field == "library_calls":
        return _of_library_calls(stage)
    if metric.of_call:
        return _of_call(stage)
    if metric.of_kernel:
        most_needed = most_demanding(metric.field, stage.launches)
        frame = SourceReader(stage.files)(Frame(most_needed.launch.file, most_needed.launch.line))
        return Reason(why_needed(metric.field, most_needed), frame)
    if metric.field == "idle_lanes":
        return _of_idle_lanes(metric, stage)
    if metric.space is None:
        return _of_launches(metric, stage)
    lines = _together(_lines(metric, stage.launches), stage)
    worst = max(lines, key=_in_vain, default=None)
    if worst is None:
        return Reason("", NOWHERE)
    said, _ = waste(worst, stage.name(worst))
    if said and _in_vain(worst):
        text = _capital(said.removeprefix(worst.frame.where).removeprefix(":").strip())
        return Reason(text, worst.frame, worst)
    busiest = _busiest(metric, lines, amount, most)
    return Reason(_of_busiest(metric, stage, busiest, amount, most), busiest.frame, busiest)


def _lines(metric: Metric, launches: Sequence[LaunchCounts]) -> list[LineCounts]:
    return [
        line
        for each in launches
        for line in each.lines
        if line.space == metric.space and line.access in metric.accesses
    ]


def _together(lines: Sequence[LineCounts], stage: CountedStage) -> list[LineCounts]:
    """The same access of the same line in several launches as one."""
    found: dict[tuple[object, ...], LineCounts] = {}
    for line in lines:
        key = line.frame, line.space, line.access, line.bytes, stage.name(line)
        found[key] = found[key].plus(line) if key in found else line
    return list(found.values())


def _in_vain(line: LineCounts) -> int:
    """Sectors or wavefronts beyond the ideal."""
    return line.conflicts if line.space == "shared" else line.sectors - line.ideal_sectors


def _busiest(metric: Metric, lines: Sequence[LineCounts], amount: int, most: float) -> LineCounts:
    """The line that counts most; of requests the one that could do with the fewest, if that would do.

    Where the widest requests would be too many as well, too many bytes move, and narrow ones explain little.
    """
    if metric.field == "requests" and amount - sum(_too_many(line)[0] for line in lines) <= most:
        return max(lines, key=_too_many)
    return max(lines, key=lambda line: int(getattr(line, metric.field)))


def _too_many(line: LineCounts) -> tuple[float, int]:
    """Requests beyond what 32 lanes with 16 bytes each would need for the same bytes; and all requests."""
    return line.requests - line.lanes * line.bytes / WIDEST, line.requests


def _of_idle_lanes(metric: Metric, stage: CountedStage) -> Reason:
    """The line whose requests leave most lanes idle, and why lanes are idle at all."""
    lines = _together(_lines(metric, stage.launches), stage)
    worst = max(lines, key=lambda line: line.idle_lanes, default=None)
    if worst is None:
        return Reason("", NOWHERE)
    does = f"{VERBS[worst.access]} {stage.name(worst) or worst.space + ' memory'}"
    return Reason(
        f"{_capital(does)} with {number(worst.active_lanes)} of {WARP} lanes active on average, in "
        f"{counted(worst.requests, 'request')}: the others wait, outside of this branch or behind the end of "
        "their loop.",
        worst.frame,
        worst,
    )


def _of_busiest(metric: Metric, stage: CountedStage, line: LineCounts, amount: int, most: float) -> str:
    """Every request is as good as it can be (or nearly): there are too many of them."""
    does = _capital(f"{VERBS[line.access]} {stage.name(line)}".strip())
    share = f"{counted(int(getattr(line, metric.field)), metric.unit)} of {number(amount)}"
    if metric.field == "requests":
        few = (
            f", with {number(line.active_lanes)} of {WARP} lanes active"
            if line.active_lanes < WARP / 2
            else ""
        )
        of_fragments = "_matrix_sync" in line.frame.source  # how wide these are is the hardware's choice
        width = "by fragments" if of_fragments else f"{counted(line.bytes, 'byte')} a lane at a time"
        times = _of_every_block(stage, line) if few else _of_every_launch(stage, line)
        return f"{does} {width}{few}: {share}{times}."
    if metric.field != "sectors":
        return f"{does} shared memory: {share}."
    read = sum(each.read_bytes for each in stage.launches) // SECTOR
    written = sum(each.written_bytes for each in stage.launches) // SECTOR
    touched: dict[tuple[str, ...], int] = {("load",): read, ("store",): written}
    distinct = touched.get(metric.accesses, read + written)
    if distinct and amount > _AGAIN * distinct and stage.of:
        return f"{does}: {share}; {_times_over(metric, stage, line, amount / distinct)}."
    if distinct and amount > _AGAIN * distinct:
        once = line.sectors * SECTOR <= _AGAIN * stage.sizes.get(stage.name(line), 0)
        own = "Here each comes once; but over" if once else "Over"
        times = f"{own} all {_ALL[line.access]}, a sector comes {number(amount / distinct)} times on average"
        return f"{does}: {share}. {times}{_why_again(stage, line, written)}"
    if distinct > most:
        return f"{does}: {share}. Results in between go through memory; one kernel keeps them in registers."
    return f"{does}: {share}."


def _of_every_block(stage: CountedStage, line: LineCounts) -> str:
    """That there are as many requests as blocks: what a few lanes do, each block does."""
    blocks = sum(each.launch.blocks for each in stage.launches)
    return f", one for each of the {blocks} blocks" if line.requests == blocks > 1 else ""


def _of_every_launch(stage: CountedStage, line: LineCounts) -> str:
    """In how many launches the line made its requests, if in several."""
    made = [
        each
        for each in stage.launches
        if any(
            (other.frame, other.access, stage.name(other)) == (line.frame, line.access, stage.name(line))
            for other in each.lines
        )
    ]
    return f", in {len(made)} launches" if len(made) > 1 else ""


def _times_over(metric: Metric, stage: CountedStage, line: LineCounts, times: float) -> str:
    """How often one tensor is read or written, and in which lines."""
    frames = {each.frame for each in _lines(metric, stage.launches) if each.frame.file == line.frame.file}
    lines = sorted({str(frame.line) for frame in frames}, key=int)
    where = f", in lines {listed(lines)}" if 1 < len(lines) <= _PLACES else ""
    often = "twice" if number(times) == "2" else f"{number(times)} times"
    return f"{stage.of} is {_DONE[line.access]} {often}{where}"


def _why_again(stage: CountedStage, line: LineCounts, written: int) -> str:
    """Work that is done more than once writes its results more than once, too; else values are used again.

    A line that reads what it writes adds to memory, as `+=` does.
    """
    stores = _lines(METRICS["global_store_sectors"], stage.launches)
    times = sum(line.lanes * line.bytes for line in stores) / (written * SECTOR) if written else 0
    if line.access == "load" and any(_same_place(line, store, stage) for store in stores):
        return (
            f". This line reads {stage.name(line)} and writes it back, as += does. A thread's own sum "
            "belongs in a register; a sum over several threads takes atomicAdd."
        )
    if times > _AGAIN:
        return (
            f", and the results are written {number(times)} times. Either several threads do the same work "
            "(compare the block with the step of the loop), or a sum is kept in memory instead of a register."
        )
    return "; keep what is used again in registers or shared memory."


def _same_place(line: LineCounts, other: LineCounts, stage: CountedStage) -> bool:
    return line.frame == other.frame and bool(stage.name(line)) and stage.name(line) == stage.name(other)


def _of_launches(metric: Metric, stage: CountedStage) -> Reason:
    kernels: dict[str, int] = {}
    for each in stage.launches:
        kernels[each.launch.kernel] = kernels.get(each.launch.kernel, 0) + 1
    if not stage.launches:
        return Reason("", NOWHERE)
    most = max(stage.launches, key=lambda each: int(getattr(each, metric.field, 0)))
    frame = SourceReader(stage.files)(Frame(most.launch.file, most.launch.line))
    said = ", ".join(f"{name} {counted(times, 'time')}" for name, times in kernels.items())
    return Reason(f"Launched: {said}.", frame)


def _of_library_calls(stage: CountedStage) -> Reason:
    times = ", ".join(
        f"{name} {counted(stage.called.count(name), 'time')}" for name in dict.fromkeys(stage.called)
    )
    return Reason(f"Called: {times}.", NOWHERE)


def _of_call(stage: CountedStage) -> Reason:
    """The operators that make a copy, where one did: each allocates what it copies to."""
    copying = [name for name in stage.operators if name in _COPYING]
    if not copying:
        return Reason("", NOWHERE)
    verb = "makes a copy" if len(copying) == 1 else "make copies"
    return Reason(f"{listed(copying)} {verb}.", NOWHERE)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
