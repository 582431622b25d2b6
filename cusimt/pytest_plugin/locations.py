"""Source locations relative to the root of the repository under test, and findings in words with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cusimt.findings import Finding, rule, sentence
from cusimt.records.source_lines import Frame


def relative_location(frame: Frame, root: Path) -> str:
    """`csrc/scan.cu:12`; the whole path for a file that is not below `root`, empty without a file."""
    if not frame.file:
        return ""
    path = Path(frame.file).resolve()
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{name}:{frame.line}" if frame.line else str(name)


def describe(finding: Finding, root: Path) -> str:
    """What happened, the rule, and the source lines of both parties and of the launch."""
    finding = _relative(finding, root)
    first = finding.frame if finding.frame.file else finding.launch
    lines = {first.where: first.source.strip()}
    if finding.other is not None and finding.other.frame.file:
        lines[finding.other.frame.where] = finding.other.frame.source.strip()
    if finding.launch.file:
        lines[finding.launch.where] = finding.launch.source.strip()
    width = max(map(len, lines), default=0)
    sources = [f"    {place:{width}}  {source}" for place, source in lines.items() if place and source]
    schedule = finding.schedule and f"Seen first under the schedule {finding.schedule}."
    return "\n".join(line for line in (sentence(finding), rule(finding), schedule, *sources) if line)


def _relative(finding: Finding, root: Path) -> Finding:
    other = finding.other
    return replace(
        finding,
        frame=replace(finding.frame, root=str(root)),
        launch=replace(finding.launch, root=str(root)),
        other=replace(other, frame=replace(other.frame, root=str(root))) if other else None,
    )
