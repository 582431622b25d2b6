"""Advice on a profile: the line, what it costs, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cusimt.counters import LineCounts
from cusimt.counters.transactions import (
    BANK_BYTES,
    BANKS,
    SECTOR,
    active,
    bank_words,
    runs,
    stride,
    usual_stride,
)
from cusimt.profile.model import LaunchProfile, Profile, Stage
from cusimt.profile.phrases import VERBS, counted, number, size
from cusimt.support.words import listed

__all__ = ["waste"]

_WASTE = 1.2  # times the ideal: less is the unavoidable edge
_ONE_BREAK = 2  # runs
_IDLE_LANES = 8  # on average, from which on they are worth a word
_WEIGHT = 0.2  # of a launch's requests, that a line with idle lanes must make
_REUSE = 4  # times each byte is asked for
_CONTENTION = 4  # lanes that update one address
_QUEUE = 32  # updates of one sector, on average
_HALF = 0.5
_VECTORS = (4, 8, 16)  # bytes that one access can have
_MEMBERS = 8  # elements: a stride of so many may come from an array of structures
_LIBRARIES = ("cub::", "thrust::", "cuBLAS", "cuSPARSE")
_ALIGN = f"begin each warp's part at a multiple of {SECTOR} bytes."
_NEIGHBOURS = "Reads of a thread's neighbours, as of i + 1, cannot: their extra sector is mostly in a cache."
_GATHER = "sort the work, or stage it in shared memory, so that neighbouring threads share sectors."
_NAME = "\0"  # stands in a sentence for the names of tensors


@dataclass(frozen=True)
class Remark:
    """One sentence; `cost` in bytes orders the remarks; `line` is what it is about, if it is one line.

    The same words about several tensors are one remark: `text` leaves their place open.
    """

    text: str
    cost: int
    line: LineCounts | None = None
    tensors: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return self.text.replace(_NAME, listed(self.tensors))


def remarks(profile: Profile) -> list[Remark]:
    """All remarks, the most expensive first."""
    found: dict[str, Remark] = {}
    for remark in (remark for stage in profile.stages for remark in _of_stage(stage)):
        earlier = found.get(remark.text)
        if earlier is not None:
            tensors = tuple(dict.fromkeys((*earlier.tensors, *remark.tensors)))
            remark = replace(earlier, cost=earlier.cost + remark.cost, tensors=tensors)
        found[remark.text] = remark
    return sorted(found.values(), key=lambda remark: -remark.cost)


def line_remarks(line: LineCounts, launched: LaunchProfile, stage: Stage) -> Iterator[Remark]:
    """What there is to say about one line of one launch."""
    name = stage.memory(line).name
    text, cost = waste(line, _NAME if name else "")
    if text:
        yield Remark(text, cost, line, (name,))
    yield from _idle_lanes(line, launched)


def waste(line: LineCounts, memory: str) -> tuple[str, int]:
    """A line's wasted traffic on `memory` (a tensor's name, or ""), in words and bytes; or "" and 0."""
    for say in (_scattered, _contention, _conflicts):
        text, cost = say(line, memory)
        if text:
            return text, cost
    return "", 0


def _of_stage(stage: Stage) -> Iterator[Remark]:
    for launched in stage.launches:
        if launched.counts.launch.kernel.startswith(_LIBRARIES):
            continue  # nobody can change those: what they cost is in the tables
        for line in launched.counts.lines:
            yield from line_remarks(line, launched, stage)
        rewritten = list(_rewritten(launched))
        yield from rewritten or _reuse(launched)  # elements that are written again are mostly read again, too
        yield from _queues(launched, stage)
        yield from _resources(launched)
    yield from _traffic(stage)
    yield from _host(stage)


# ---- a line ------------------------------------------------------------------------------------------------


def _scattered(line: LineCounts, what: str) -> tuple[str, int]:
    """Sectors in vain: a stride, a shifted beginning, or no order at all."""
    if line.space != "global" or line.sectors <= _WASTE * line.ideal_sectors:
        return "", 0
    does = f"{VERBS[line.access]} {what}".strip()
    ideal = line.ideal_sectors / line.requests
    numbers = f"{number(line.sectors_per_request)} sectors a request where {number(ideal)} would do"
    step = _step(line)
    if step is None or abs(step) == line.bytes:
        in_order = step is not None or _is_in_order(line)
        how = (
            f"in order, but not from a multiple of {SECTOR} bytes on"
            if in_order
            else "at scattered addresses"
        )
        advice = _ALIGN if in_order else _GATHER
        advice += f" {_NEIGHBOURS}" if in_order and line.access == "load" else ""
    else:
        how = f"with a stride of {_elements(step, line.bytes)}"
        advice = f"neighbouring threads should {_infinitive(line.access)} neighbouring elements"
        structures = 1 < step / line.bytes <= _MEMBERS
        advice += "; of structures, keep one array for each member" if structures else ""
        whole = line.bytes < step and step in _VECTORS
        advice += f", or each thread all {step} bytes at once, as a vector." if whole else "."
    cost = (line.sectors - line.ideal_sectors) * SECTOR
    return f"{line.frame.where} {does} {how}: {numbers}; {advice}", cost


def _is_in_order(line: LineCounts) -> bool:
    """Whether the lanes go on in order but for one place, as where a row ends, or a ring begins again."""
    lengths = runs(line.sample.addresses, line.bytes)
    aligned = sum(-(-length * line.bytes // SECTOR) for length in lengths)
    ideal = -(-sum(lengths) * line.bytes // SECTOR)
    return len(lengths) <= _ONE_BREAK and aligned <= ideal + 1


def _step(line: LineCounts) -> int | None:
    """Bytes from lane to lane: of all of them, or of most of them if that leaves gaps."""
    usual = usual_stride(line.sample.addresses)
    in_gaps = usual is not None and abs(usual) > line.bytes
    return usual if in_gaps else stride(line.sample.addresses)


def _conflicts(line: LineCounts, what: str) -> tuple[str, int]:
    """Bank conflicts."""
    if line.space != "shared" or line.wavefronts <= _WASTE * line.ideal_wavefronts:
        return "", 0
    step = stride(line.sample.addresses)
    words = step // BANK_BYTES if step is not None and step % BANK_BYTES == 0 else None
    how = f" with a stride of {counted(words, 'word')}" if words else ""
    got, ideal = line.wavefronts / line.requests, line.ideal_wavefronts / line.requests
    lanes = len(active(line.sample.addresses))
    banks = len(bank_words(line.sample.addresses, line.bytes))
    sentence = (
        f"{line.frame.where} {VERBS[line.access]} shared memory{how}: {number(got)} wavefronts a request "
        f"where {number(ideal)} would do ({counted(line.conflicts, 'bank conflict')} in all); the {lanes} "
        f"lanes of a warp reach {banks} of {BANKS} banks. Let each lane use its own bank, or the same word."
    )
    return sentence, line.conflicts * BANKS * BANK_BYTES


def _contention(line: LineCounts, what: str) -> tuple[str, int]:
    """Many lanes of a warp that update one address."""
    lanes = active(line.sample.addresses)
    addresses = len(set(lanes.values()))
    if line.access != "atomic" or len(lanes) < _CONTENTION * addresses:
        return "", 0
    where = counted(addresses, "address", "addresses") + (f" of {what}" if what else "")
    sentence = (
        f"{line.frame.where}: {len(lanes)} lanes of a warp update {where}, one after another; add up within "
        "the warp first (__shfl_down_sync, __reduce_add_sync), then let one lane do it."
    )
    return sentence, line.lanes * SECTOR


def _idle_lanes(line: LineCounts, launched: LaunchProfile) -> Iterator[Remark]:
    launch = launched.counts.launch
    every = sum(each.requests for each in launched.counts.lines)
    idle = 32 - line.active_lanes
    if idle < _IDLE_LANES or line.requests < _WEIGHT * every:
        return
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    why = (
        f"a block of {counted(threads, 'thread')} does not fill its warps"
        if threads % 32
        else "the others returned at a guard or took another branch"
    )
    yield Remark(
        f"{line.frame.where}: {number(line.active_lanes)} of 32 lanes take part on average; {why}.",
        int(idle * line.requests * line.bytes),
        line,
    )


def _elements(step: int, nbytes: int) -> str:
    return counted(step // nbytes, "element") if step % nbytes == 0 else counted(step, "byte")


def _infinitive(access: str) -> str:
    return VERBS[access].removesuffix("s")


# ---- a launch, a stage -----------------------------------------------------------------------------------


def _rewritten(launched: LaunchProfile) -> Iterator[Remark]:
    """Stores of a launch that go to the same places again and again."""
    stores = [line for line in launched.counts.lines if (line.space, line.access) == ("global", "store")]
    stored = sum(line.ideal_sectors for line in stores) * SECTOR
    there = launched.counts.written_bytes
    if not there or stored < _REUSE * there:
        return
    first = max(stores, key=lambda line: line.ideal_sectors)
    yield Remark(
        f"{first.frame.where} writes each byte {number(stored / there)} times on average. If many blocks "
        "write the same elements, the index lacks blockIdx, or the grid is too large; if a thread writes its "
        "element again and again, keep the value in a register and write it once.",
        stored - there,
        first,
    )


def _reuse(launched: LaunchProfile) -> Iterator[Remark]:
    useful = sum(line.ideal_sectors for line in launched.counts.lines) * SECTOR
    if not launched.least or useful < _REUSE * launched.least:
        return
    yield Remark(
        f"{launched.name} moves {size(launched.moved)} of global memory but touches {size(launched.least)}: "
        f"each byte moves {number(launched.moved / launched.least)} times. Caches catch some of that; a "
        "tile in shared memory, loaded once by the block, catches what is used again.",
        useful - launched.least,
    )


def _queues(launched: LaunchProfile, stage: Stage) -> Iterator[Remark]:
    """Atomics of many warps on few sectors, in a launch that writes nothing else: those sectors are known."""
    lines = [line for line in launched.counts.lines if line.space == "global" and line.access != "load"]
    sectors = launched.counts.written_bytes // SECTOR
    if not sectors or len(lines) != 1 or lines[0].access != "atomic" or lines[0].sectors < _QUEUE * sectors:
        return
    line, times = lines[0], number(lines[0].sectors / sectors)
    yield Remark(
        f"{line.frame.where} updates {counted(sectors, 'sector')} of {stage.memory(line).name}, each {times} "
        "times on average. Updates of one address happen one after another: the more there are, the longer "
        "they queue. Add up what goes to the same address first, then update it once.",
        line.lanes * SECTOR,
    )


def _resources(launched: LaunchProfile) -> Iterator[Remark]:
    needs, found = launched.needs, launched.occupancy
    spilled = (needs.spill_stores or 0) + (needs.spill_loads or 0)
    if spilled:
        yield Remark(
            f"{launched.name} spills: a thread writes {size(needs.spill_stores or 0)} to memory and reads "
            f"{size(needs.spill_loads or 0)} back because registers ran out. Keep fewer values alive, or "
            "allow more registers (__launch_bounds__).",
            launched.times * launched.counts.launch.threads * spilled,
        )
    if found.share < _HALF:  # never because of warps: where no further block fits, more than half are held
        yield Remark(_low_occupancy(launched), 0)


def _low_occupancy(launched: LaunchProfile) -> str:
    found, launch = launched.occupancy, launched.counts.launch
    registers = launched.needs.registers
    shared = launched.needs.shared + launch.shared_bytes
    why = {
        "registers": f"{registers} registers a thread are the limit. Use fewer, or smaller blocks.",
        "shared memory": f"{size(shared)} of shared memory a block is the limit. Use smaller tiles.",
        "blocks": "the number of blocks is the limit. Use larger blocks.",
    }[found.limit]
    return (
        f"{launched.name}: a multiprocessor holds {found.warps} of {found.most_warps} warps; {why} Few warps "
        "hide little of the time that memory takes."
    )


def _traffic(stage: Stage) -> Iterator[Remark]:
    if stage.traffic is None or not stage.launches:
        return
    moved, least = (sum(getattr(each, name) for each in stage.launches) for name in ("moved", "least"))
    if stage.traffic > _WASTE * moved:
        yield Remark(
            f"The kernels of {stage.name} move {size(moved)}, and the operation needs {size(stage.traffic)}: "
            "calls of libraries, which are not counted, move the rest, or elements are left out.",
            stage.traffic - moved,
        )
    if stage.launched < 2 or least <= _WASTE * stage.traffic:
        return
    yield Remark(
        f"The launches of {stage.name} touch {size(least)} where {size(stage.traffic)} would do: results in "
        "between go through memory. One kernel for all of it would keep them in registers.",
        least - stage.traffic,
    )


def _host(stage: Stage) -> Iterator[Remark]:
    if stage.host_syncs:
        yield Remark(
            f"The host waits for the device {counted(stage.host_syncs, 'time')} in {stage.name}: the device "
            "then has nothing to do until the next launch. Let the caller wait.",
            0,
        )
    if stage.copies and not stage.copies_meant:
        yield Remark(
            f"{stage.name.capitalize()} copies between host and device ({stage.copies[0]}): that goes over a "
            "bus much slower than either memory. Keep the work on the device.",
            0,
        )
