"""Turns the runtime's finding records into findings with source lines.

Records have return addresses, which debugging information resolves to lines of the user's files
(`records/source_lines.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cusimt.findings.consequences import without_consequences
from cusimt.findings.hazards import RacingAccess, order_of
from cusimt.findings.model import SAMPLED, SUSPICIONS, UNCHECKED, Allocation, Finding, Party, Tensor
from cusimt.records import Dim3, Record, take_records
from cusimt.records.source_lines import (
    NOWHERE,
    SOURCE,
    Frame,
    Site,
    SourceReader,
    compiled_sources,
    frames_of,
)


def symbolise(
    raw: Iterable[Record],
    source_roots: Sequence[Path] = (),
    quote: SourceReader = compiled_sources,
    suspicions: bool = False,
) -> list[Finding]:
    """The findings in order of first occurrence; those of one kind and line are merged.

    A finding's line is the innermost one in a file below `source_roots`; without roots, the innermost that
    belongs neither to this backend's headers nor to the system's. `quote` gives a line its text. SUSPICIONS
    are left out unless `suspicions` is true, and so are races that follow from an overrun.
    """
    left_out = {UNCHECKED, SAMPLED} if suspicions else {UNCHECKED, SAMPLED, *SUSPICIONS}
    named = [each for each in raw if isinstance(each.get("kind"), str) and each["kind"] not in left_out]
    lines = without_consequences(named)
    frames = frames_of(_call_sites(lines), source_roots, quote)
    merged: dict[tuple[str, Frame, Frame, str], Finding] = {}
    for finding in (_in_order(_finding(each, frames, quote), quote) for each in lines):
        if _is_one_barrier(finding):
            continue
        key = (
            finding.kind,
            finding.frame,
            finding.launch if not finding.frame.file else NOWHERE,
            finding.access or "",
        )
        earlier = merged.get(key)
        merged[key] = replace(earlier, count=earlier.count + finding.count) if earlier else finding
    return list(merged.values())


def take(source_roots: Sequence[Path] = ()) -> list[Finding]:
    """The findings of this process since the last call."""
    return symbolise(take_raw(), source_roots)


def take_raw() -> list[dict[str, Any]]:
    """The same as records, which another process can `symbolise`."""
    return take_records("findings")


def _is_one_barrier(finding: Finding) -> bool:
    """Whether both threads wait in one barrier, which the compiler duplicated."""
    other = finding.other
    return (
        finding.kind == "divergent_barrier"
        and other is not None
        and bool(other.frame.file)
        and other.frame == finding.frame
    )


# ---- from JSON -----------------------------------------------------------------------------------------


def _call_sites(raw: Iterable[Record]) -> Iterator[Site]:
    for each in raw:
        for party in (each, each.get("other") or {}):
            if each.get("module") and party.get("pc"):
                yield str(each["module"]), int(party["pc"])
        if each.get("module"):
            yield from ((str(each["module"]), int(call)) for call in each.get("calls") or ())


def _finding(raw: Record, frames: Mapping[Site, Frame], quote: SourceReader) -> Finding:
    module = str(raw.get("module") or "")
    launch = quote(Frame(str(raw.get("file") or ""), int(raw.get("line") or 0)))
    other, allocation, tensor = raw.get("other"), raw.get("allocation"), raw.get("tensor")
    frame = _with_callers(raw, module, frames, launch)
    return Finding(
        kind=raw["kind"],
        frame=launch if raw["kind"] == "trap" else frame,  # an assertion knows its own line
        launch=launch,
        access=raw.get("access"),
        bytes=int(raw.get("bytes") or 0),
        kernel=raw.get("kernel"),
        space=raw.get("space"),
        array=str(raw.get("array") or ""),
        block=_index(raw.get("block")),
        thread=None if module.endswith(SOURCE) else _index(raw.get("thread")),
        other=_party(other, module, frames) if other else None,
        allocation=Allocation(
            **{name: int(allocation[name]) for name in ("base", "bytes", "offset", "device")}
        )
        if allocation
        else None,
        tensor=Tensor(str(tensor["name"]), int(tensor["itemsize"]), int(tensor.get("storage_offset") or 0))
        if tensor
        else None,
        lanes=(int(raw["lanes"][0]), int(raw["lanes"][1])) if raw.get("lanes") else None,
        count=int(raw.get("count") or 1),
        note=str(raw.get("note") or ""),
        schedule=str(raw.get("schedule") or ""),
        of_program=module.endswith(SOURCE),
    )


def _with_callers(raw: Record, module: str, frames: Mapping[Site, Frame], launch: Frame) -> Frame:
    """The line of the access, and the calls that led there: inlined ones, then those on the stack.

    The call of the kernel itself is the launch, which a finding reports separately.
    """
    frame = frames.get((module, int(raw.get("pc") or 0)), NOWHERE)
    callers = list(frame.callers)
    for call in raw.get("calls") or ():
        caller = frames.get((module, int(call)), NOWHERE)
        callers += [each for each in (caller, *caller.callers) if each.file]
    name = str(raw.get("kernel") or "").partition("<")[0].rpartition("::")[2]
    kernel = re.compile(rf"\b{re.escape(name)}\b") if name else None
    chain = (frame, *callers)
    inside = [number for number, each in enumerate(chain) if kernel and kernel.search(each.function)]
    if inside:
        del callers[inside[-1] :]
    places = [(each.file, each.line) for each in callers]
    if (launch.file, launch.line) in places:
        del callers[places.index((launch.file, launch.line)) :]
    return replace(frame, callers=tuple(callers))


def _in_order(finding: Finding, quote: SourceReader) -> Finding:
    """A race within a block whose note is the order of the accesses in the program, where that is known.

    The runtime's note is the order in which it ran the threads.
    """
    other = finding.other
    if not finding.kind.startswith("race_") or other is None or other.block != finding.block:
        return finding
    if "__threadfence" in finding.note or "atomic" in (finding.access, other.access):
        return finding
    kernel = (finding.frame.callers or (finding.frame,))[-1].file
    one, another = (
        _access(*each, kernel) for each in ((finding.frame, finding.access), (other.frame, other.access))
    )
    order = order_of(one, another, quote.lines(kernel)) if one.lines and another.lines else ""
    return replace(finding, note=order, ordered=True) if order else finding


def _access(frame: Frame, access: str | None, file: str) -> RacingAccess:
    lines = tuple(each.line for each in (frame, *frame.callers) if each.file == file)
    return RacingAccess(lines, access == "write")


def _party(raw: Record, module: str, frames: Mapping[Site, Frame]) -> Party:
    frame = frames.get((module, int(raw.get("pc") or 0)), NOWHERE)
    of_program = module.endswith(SOURCE)
    thread = None if of_program else _index(raw["thread"])
    return Party(frame, raw.get("access"), _index(raw["block"]), thread, of_program)


def _index(raw: Sequence[int] | None) -> Dim3 | None:
    return (int(raw[0]), int(raw[1]), int(raw[2])) if raw else None
