"""A profile as plain sentences: no colour, no columns; made to be heard or to be read in a log."""

from __future__ import annotations

from collections.abc import Iterator

from cusimt.counters import LineCounts
from cusimt.profile.model import LaunchProfile, Profile, Stage
from cusimt.profile.phrases import (
    MOST_REMARKS,
    NOTHING,
    VERBS,
    barriers,
    configuration,
    counted,
    holds,
    number,
    resources,
    shown,
    totals,
    transfers,
)
from cusimt.profile.remarks import remarks

__all__ = ["profile_text"]


def profile_text(profile: Profile) -> str:
    """The whole profile, one line per access."""
    lines = [f"Profile of {profile.title} on {profile.device.name}."]
    if profile.call:
        lines.append(f'{profile.call}, case "{profile.case}".')
    for stage in profile.stages:
        lines.extend(_stage(stage))
    found = remarks(profile)
    lines.append("Remarks:" if found else NOTHING)
    lines.extend(f"  {remark.sentence}" for remark in found[:MOST_REMARKS])
    if len(found) > MOST_REMARKS:
        lines.append(f"  And {len(found) - MOST_REMARKS} more of less weight.")
    return "\n".join(lines)


def _stage(stage: Stage) -> Iterator[str]:
    launches, others = shown(stage)
    for launched in launches:
        yield from _launch(launched, stage)
    if others:
        yield others
    name = f"{stage.name.capitalize()} in all" if stage.name else "In all"
    yield f"{name}: " + "; ".join(f"{what}: {value}" for what, value in totals(stage)) + "."


def _launch(launched: LaunchProfile, stage: Stage) -> Iterator[str]:
    launch = launched.counts.launch
    times = f", {launched.times} times" if launched.times > 1 else ""
    begin = f"{stage.name.capitalize()} launches" if stage.name else "Launch of"
    yield f"{begin} {launched.name}{times}: {configuration(launched)}."
    yield f"  It needs {resources(launched.needs, launch.shared_bytes)}; {holds(launched)}."
    if launched.counts.barriers:
        yield f"  It executes {barriers(launched.counts.barriers)}."
    source = None
    for line in launched.counts.lines:
        if line.frame != source and line.frame.source:
            yield f"  Line {line.frame.line} is: {line.frame.source.strip()}"
        source = line.frame
        yield f"    {_access(line, stage)}"


def _access(line: LineCounts, stage: Stage) -> str:
    took, ideal, unit = transfers(line)
    what = stage.memory(line).name or ("shared memory" if line.space == "shared" else "global memory")
    return (
        f"{line.frame.where} {VERBS[line.access]} {what}, {counted(line.bytes, 'byte')} a lane: "
        f"{counted(line.requests, 'request')}, {counted(took, unit)} each where {number(ideal)} "
        f"would do, {number(line.active_lanes)} of 32 lanes."
    )
