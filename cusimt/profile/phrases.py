"""Phrases that all renderings of a profile share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cusimt.counters import LineCounts
from cusimt.profile.model import LaunchProfile, ResourceUsage, Stage
from cusimt.support.words import noun

__all__ = ["VERBS", "counted", "number", "size"]

VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}
_UNITS = ((30, "GiB"), (20, "MiB"), (10, "KiB"))
_PLAIN_BYTES = 10_000  # sizes up to this are exact
NOTHING = "Nothing to report: every request moves as little as it can."
MOST_LAUNCHES, MOST_REMARKS = 12, 20  # that are shown; a page and the JSON have all


def number(value: float) -> str:
    """`32`, `16.5`, `65,536`."""
    return f"{value:,.1f}".removesuffix(".0")


def counted(amount: float, singular: str, plural: str = "") -> str:
    """`1 launch`, `3 launches`, `2.5 sectors`."""
    text = number(amount)
    return f"{text} {noun(text == '1', singular, plural)}"


def size(nbytes: int) -> str:
    """`640 bytes`, `192 KiB`, `8.4 MiB`."""
    for bits, name in _UNITS:
        if nbytes >> bits and (nbytes > _PLAIN_BYTES or nbytes % (1 << bits) == 0):
            return f"{number(nbytes / (1 << bits))} {name}"
    return counted(nbytes, "byte")


def shape(extent: Sequence[int]) -> str:
    """`(4, 16)`: extents without the trailing ones."""
    used = list(extent)
    while len(used) > 1 and used[-1] == 1:
        used.pop()
    return f"({', '.join(map(str, used))})" if len(used) > 1 else str(used[0])


def configuration(launched: LaunchProfile) -> str:
    """`64 blocks (4, 16) of 256 threads (32, 8)`; in a sampled run, how many blocks were counted."""
    launch = launched.counts.launch
    grid = f" {shape(launch.grid)}" if launch.grid[1:] != (1, 1) else ""
    block = f" {shape(launch.block)}" if launch.block[1:] != (1, 1) else ""
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    sampled = f"; counted in {launch.blocks_run} of the blocks, not scaled" if launch.is_sampled else ""
    return f"{counted(launch.blocks, 'block')}{grid} of {counted(threads, 'thread')}{block}{sampled}"


def resources(needs: ResourceUsage, dynamic_shared: int) -> str:
    """`32 registers, no spills, 1 KiB of shared memory (ptxas for sm_90)`."""
    about = "about " if needs.estimated else ""
    known = needs.registers is not None
    parts = [about + counted(needs.registers or 0, "register") if known else "registers not known"]
    if needs.spill_stores is not None and needs.spill_loads is not None:
        spilled = needs.spill_stores + needs.spill_loads
        parts.append(f"{counted(spilled, 'byte')} spilled" if spilled else "no spills")
    shared = needs.shared + dynamic_shared
    parts.append(f"{size(shared)} of shared memory" if shared else "no shared memory")
    return f"{', '.join(parts)} ({needs.source})"


def holds(launched: LaunchProfile) -> str:
    """`a multiprocessor holds 8 blocks, 64 of 64 warps (100%), limited by warps`."""
    found = launched.occupancy
    if found.blocks == 0:
        do = "does" if found.limit == "shared memory" else "do"
        return f"a multiprocessor cannot hold one block: {found.limit} {do} not suffice"
    unknown = "" if found.registers_known else ", registers left out"
    return (
        f"a multiprocessor holds {counted(found.blocks, 'block')}, {found.warps} of {found.most_warps} warps "
        f"({found.share:.0%}), limited by {found.limit}{unknown}"
    )


def barriers(waited: int) -> str:
    """Barriers as the device executes them: once for each warp."""
    return f"{counted(waited, 'barrier')}, counted per warp"


def access(line: LineCounts, stage: Stage) -> str:
    """`load of a`, `shared store`: what a row of the table is about."""
    name = stage.memory(line).name
    if line.space == "shared":
        return f"shared {line.access}"
    return f"{line.access} of {name}" if name else line.access


def transfers(line: LineCounts) -> tuple[float, float, str]:
    """Per request what it took, what it would take at best, and the unit: sectors or wavefronts."""
    if line.space == "shared":
        return line.wavefronts / line.requests, line.ideal_wavefronts / line.requests, "wavefront"
    return line.sectors_per_request, line.ideal_sectors / line.requests, "sector"


def shown(stage: Stage) -> tuple[list[LaunchProfile], str]:
    """The launches worth a table, those that ask for most, in their order; and what is said of the others."""
    if len(stage.launches) <= MOST_LAUNCHES:
        return list(stage.launches), ""
    weights = sorted((each.moved for each in stage.launches), reverse=True)
    least = weights[MOST_LAUNCHES - 1]
    kept = [each for each in stage.launches if each.moved >= least][:MOST_LAUNCHES]
    left = len(stage.launches) - len(kept)
    return kept, f"{counted(left, 'more launch', 'more launches')} moved less; a page or JSON shows all."


def totals(stage: Stage) -> list[tuple[str, str]]:
    """The lines below a stage: what was moved, against the least; and what else the call did."""
    moved, least = (sum(getattr(each, name) for each in stage.launches) for name in ("moved", "least"))
    counted_ones = sum(each.times for each in stage.launches)
    some = f", of which {number(counted_ones)} were counted" if counted_ones < stage.launched else ""
    rows = [("launches", number(stage.launched) + some)]
    if stage.launches:
        rows.append(("requested from global memory", f"{size(moved)} in sectors of 32 bytes"))
        times = f", each {number(moved / least)} times" if least and moved / least >= 1.05 else ""
        rows.append(("least", f"{size(least)} in distinct sectors{times}"))
    if stage.traffic is not None:
        rows.append(("least by the spec", size(stage.traffic)))
    waited = sum(each.counts.barriers for each in stage.launches)
    if waited:
        rows.append(("barriers", f"{number(waited)}, counted per warp"))
    multiplied = sum(each.counts.tensor_multiply_adds for each in stage.launches)
    if multiplied:
        rows.append(("on tensor cores", counted(multiplied, "multiply-add")))
    if stage.allocations is not None:
        rows.append(("allocations", number(stage.allocations)))
    if stage.host_syncs is not None:
        rows.append(("waits of the host", number(stage.host_syncs)))
    if stage.copies:
        equal = Counter(stage.copies)
        rows.append(("copies", "; ".join(f"{n} × {copy}" if n > 1 else copy for copy, n in equal.items())))
    return rows
