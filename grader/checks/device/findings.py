"""The simulator's findings of every call, as sentences with the learner's source line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cusimt import findings
from cusimt.records.source_lines import SourceReader
from grader.checks.bench import Bench, Call
from grader.checks.device.finding_notes import elements_for_bytes, let_through, of_its_own
from grader.run.values import Reply
from grader.verdict import ReportedFinding

# Whose work a result is: a matter of device work, and no fault of memory.
MAPPED, OTHER_THREAD = "mapped_memory", "other_thread"


def in_words(bench: Bench) -> list[ReportedFinding]:
    """What the checked build saw in the calls so far, merged by kind and line; empty when nothing was."""
    return faults_in(bench.calls, bench.files)


def faults_in(calls: Iterable[Call], files: Path) -> list[ReportedFinding]:
    """What it saw in `calls`, without what tells only whose work a result is."""
    return [each for each in seen_in(calls, files) if each.kind not in (MAPPED, OTHER_THREAD)]


def seen_in(calls: Iterable[Call], files: Path, suspicions: bool = False) -> list[ReportedFinding]:
    """What it saw in `calls` of a submission whose sources are in `files`, causes before their effects."""
    named = [(call, _named(finding, call)) for call in calls for finding in call.reply.trace.findings]
    if not named:
        return []
    quote = SourceReader(files)
    found = findings.symbolise([raw for _, raw in named], quote=quote, suspicions=suspicions)
    overruns = [raw for call, raw in named if raw.get("kind") == _OVERRUN and call.stage != "refusal"]
    found = _without_effects(found, findings.symbolise(overruns, quote=quote)) if overruns else found
    return [_recorded(each) for each in _barriers_first(_without_mirrors(found))]


_OVERRUN = "out_of_bounds"
_EFFECTS = ("race_global", "race_shared", "uninitialized_read")


def _without_effects(
    found: Sequence[findings.Finding], overruns: Sequence[findings.Finding]
) -> list[findings.Finding]:
    """Without what the accesses of `overruns` do where the memory past the end is another tensor's."""
    return [each for each in found if not any(_is_effect(each, overrun) for overrun in overruns)]


def _is_effect(finding: findings.Finding, overrun: findings.Finding) -> bool:
    frames = [finding.frame] + ([finding.other.frame] if finding.other is not None else [])
    place = (overrun.frame.file, overrun.frame.line)
    same = finding.space == overrun.space and place in {(each.file, each.line) for each in frames}
    if finding.kind not in _EFFECTS or not overrun.frame.file or not same:
        return False
    memory = finding.allocation
    past = memory is not None and memory.offset + finding.bytes > memory.bytes
    return past or _owner(finding) != _owner(overrun)


def _owner(finding: findings.Finding) -> str | int:
    """Whose memory it is: a tensor's by name, or else an allocation's by address."""
    if finding.tensor is not None:
        return finding.tensor.name
    return finding.allocation.base if finding.allocation is not None else ""


def _without_mirrors(found: Sequence[findings.Finding]) -> list[findings.Finding]:
    """A race between two lines once: another order of threads shows it from its other side.

    Where the order of the program says which of the two comes first, one that says otherwise lacks another
    barrier.
    """
    kept: list[findings.Finding] = []
    told = set()
    for each in found:
        sides = _sides(each)
        if sides is not None and sides[::-1] in told:
            continue
        told.add(sides)
        kept.append(each)
    return kept


def _sides(finding: findings.Finding) -> tuple[tuple[object, ...], tuple[object, ...]] | None:
    """The two lines of a race, each with the memory; None for what is no race, or within one line."""
    if finding.other is None or not finding.frame.file or not finding.kind.startswith("race_"):
        return None
    memory = (finding.kind, _owner(finding), finding.note if finding.ordered else "")
    here, there = finding.frame, finding.other.frame
    if (here.file, here.line) == (there.file, there.line):
        return None
    return (here.file, here.line, *memory), (there.file, there.line, *memory)


def _barriers_first(found: Sequence[findings.Finding]) -> list[findings.Finding]:
    """A barrier that threads do not reach together comes before the races that it should prevent."""
    first = next((number for number, each in enumerate(found) if each.kind == "race_shared"), len(found))
    later = sorted(found[first:], key=lambda each: each.kind != "divergent_barrier")
    return [*found[:first], *later]


def backward_names(reply: Reply) -> dict[str, str]:
    """What a backward calls the tensors that its trace numbers: its results after the inputs whose
    gradients they are.
    """
    words = {f"output {index}": f"grad_{each.name}" for index, each in enumerate(reply.outputs)}
    words["the output"] = words.get("output 0", "")
    return words | {"cotangent 0": "grad_out"}


def _named(finding: dict[str, Any], call: Call) -> dict[str, Any]:
    if note := of_its_own(finding, call) or let_through(finding, call) or elements_for_bytes(finding, call):
        finding = {**finding, "note": note}
    tensor = finding.get("tensor")
    if call.stage != "backward" or not tensor:
        return finding
    name = backward_names(call.reply).get(tensor["name"]) or tensor["name"]
    return {**finding, "tensor": {**tensor, "name": name}}


def _recorded(found: findings.Finding) -> ReportedFinding:
    """Place, count and source go into fields of their own, so that the sentence need not repeat them."""
    frame = found.frame if found.frame.file else found.launch
    nowhere = findings.Frame(callers=found.frame.callers)
    unplaced = replace(found, frame=nowhere, launch=findings.Frame(), thread=None, count=1,
                       of_program=False)  # fmt: skip
    return ReportedFinding(
        kind=found.kind,
        sentence=findings.sentence(unplaced),
        rule=findings.rule(found),
        file=Path(frame.file).name,
        line=frame.line,
        source=frame.source,
        block=found.block,
        thread=found.thread,
        count=found.count,
    )


def source_line(path: Path, line: int) -> str:
    """One line of a learner's file; ``""`` when there is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return lines[line - 1] if 0 < line <= len(lines) else ""
