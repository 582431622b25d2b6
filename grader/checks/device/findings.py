"""The runtime's findings of every call, in words and with the learner's source line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.checks.bench import Bench, Call
from grader.checks.device.own_element import of_its_own
from grader.checks.device.short_copies import elements_for_bytes
from grader.run.values import Reply
from grader.simt import finding_words, findings
from grader.simt.source_lines import quoting_from
from grader.verdict import Finding


def in_words(bench: Bench) -> list[Finding]:
    """What the checked build saw in the calls so far, merged by kind and line; empty when nothing was."""
    return seen_in(bench.calls, bench.files)


def seen_in(calls: Iterable[Call], files: Path, suspicions: bool = False) -> list[Finding]:
    """What it saw in `calls` of a submission whose sources are in `files`."""
    raw = [_named(finding, call) for call in calls for finding in call.reply.trace.findings]
    found = findings.symbolise(raw, quote=quoting_from(files), suspicions=suspicions) if raw else []
    return [_recorded(each) for each in found]


def backward_names(reply: Reply) -> dict[str, str]:
    """What a backward calls the tensors that its trace numbers: its results after the inputs whose
    gradients they are.
    """
    words = {f"output {index}": f"grad_{each.name}" for index, each in enumerate(reply.outputs)}
    words["the output"] = words.get("output 0", "")
    return words | {"cotangent 0": "grad_out"}


def _named(finding: dict[str, Any], call: Call) -> dict[str, Any]:
    if note := of_its_own(finding, call) or elements_for_bytes(finding, call):
        finding = {**finding, "note": note}
    tensor = finding.get("tensor")
    if call.stage != "backward" or not tensor:
        return finding
    name = backward_names(call.reply).get(tensor["name"]) or tensor["name"]
    return {**finding, "tensor": {**tensor, "name": name}}


def _recorded(found: findings.Finding) -> Finding:
    """Place, count and source go into fields of their own, so that the sentence need not repeat them."""
    frame = found.frame if found.frame.file else found.launch
    nowhere = findings.Frame(callers=found.frame.callers)
    unplaced = replace(found, frame=nowhere, launch=findings.Frame(), thread=None, count=1)
    return Finding(
        kind=found.kind,
        sentence=finding_words.sentence(unplaced),
        rule=finding_words.rule(found),
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
