"""A profile on a terminal: per launch the source lines with their counts beside them, then the remarks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cusimt.counters import LineCounts
from cusimt.profile.model import LaunchProfile, Profile, Stage
from cusimt.profile.phrases import (
    MOST_REMARKS,
    NOTHING,
    access,
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
from cusimt.profile.remarks import line_remarks, remarks

__all__ = ["show_profile"]

_BAD, _GOOD = "bold red", "green"  # a mark goes with either, for readers who do not see colours
_COLUMNS = ("access", "bytes", "requests", "per request", "ideal", "lanes")


def show_profile(profile: Profile, console: Console | None = None) -> None:
    """Print a profile."""
    (console or Console(highlight=False)).print(profile_view(profile))


def profile_view(profile: Profile) -> RenderableType:
    """Heading, stages, remarks."""
    parts: list[RenderableType] = [_headline(profile)]
    for stage in profile.stages:
        parts.extend(_stage(stage))
    parts.append(_remarks(profile))
    return Group(*parts)


def _headline(profile: Profile) -> RenderableType:
    title = Text.assemble((profile.title, "bold"), " · profile" if profile.call else "")
    lines: list[RenderableType] = [title, Rule(style="dim")]
    if profile.call:
        lines.append(Text(f'{profile.call}, case "{profile.case}"'))
    lines.append(Text(f"on {profile.device.name}, {profile.device.multiprocessors} multiprocessors", "dim"))
    return Group(*lines, "")


def _stage(stage: Stage) -> Iterator[RenderableType]:
    launches, others = shown(stage)
    for launched in launches:
        times = f" × {launched.times}" if launched.times > 1 else ""
        yield Text.assemble((stage.name and f"{stage.name}: "), (launched.name + times, "bold"))
        yield Padding(_facts(launched), (0, 0, 0, 2))
        yield Padding(_table(launched, stage), (0, 0, 1, 2))
    if others:
        yield Padding(Text(others, "dim"), (0, 0, 1, 0))
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, value in totals(stage):
        grid.add_row(Text(name, "dim"), Text(value))
    yield Text(f"{stage.name} in all" if stage.name else "in all", "bold")
    yield Padding(grid, (0, 0, 1, 2))


def _facts(launched: LaunchProfile) -> RenderableType:
    lines = [
        configuration(launched),
        resources(launched.needs, launched.counts.launch.shared_bytes),
        holds(launched),
    ]
    if launched.counts.barriers:
        lines.append(barriers(launched.counts.barriers))
    return Text("\n".join(lines), "dim")


def _table(launched: LaunchProfile, stage: Stage) -> RenderableType:
    """A source line across, and below it one row for each of its accesses."""
    if not launched.counts.lines:
        return Text("It touched no memory.", "dim")
    parts: list[RenderableType] = []
    widest = max(len(number(line.requests)) for line in launched.counts.lines)
    table = _grid(widest)
    table.add_row("", *(Text(name, "dim") for name in _COLUMNS))
    parts.append(table)
    for frame, lines in groupby(launched.counts.lines, key=lambda line: line.frame):
        source = Text(frame.source.strip() or frame.where, overflow="ellipsis", no_wrap=True)
        parts.append(Text.assemble((f"{frame.line:>5} │ ", "dim"), source, no_wrap=True, overflow="ellipsis"))
        table = _grid(widest)
        for line in lines:
            table.add_row(*_row(line, launched, stage))
        parts.append(table)
    return Group(*parts)


def _grid(requests: int) -> Table:
    """The columns, which have to agree from one source line to the next; `requests`: the widest number."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=6)
    grid.add_column(width=20, no_wrap=True, overflow="ellipsis")
    for width in (5, max(9, requests), 15, 6, 6):
        grid.add_column(width=width, justify="right", no_wrap=True)
    return grid


def _row(line: LineCounts, launched: LaunchProfile, stage: Stage) -> list[RenderableType]:
    took, ideal, unit = transfers(line)
    bad = any(True for _ in line_remarks(line, launched, stage))
    style = _BAD if bad else _GOOD
    return [
        Text("    ✗ " if bad else "      ", style),
        Text(access(line, stage)),
        str(line.bytes),
        number(line.requests),
        Text(counted(took, unit), style),
        number(ideal),
        number(line.active_lanes),
    ]


def _remarks(profile: Profile) -> RenderableType:
    found = remarks(profile)
    if not found:
        return Text(NOTHING, _GOOD)
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=1)
    grid.add_column(ratio=1)
    for remark in found[:MOST_REMARKS]:
        grid.add_row(Text("✗", _BAD), Text(remark.sentence))
    if len(found) > MOST_REMARKS:
        grid.add_row("", Text(f"and {len(found) - MOST_REMARKS} more of less weight", "dim"))
    return grid
