"""A benchmark as tables on a terminal: a row for each contender, with a bar for its share of the floor."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.benchmark.contenders import SUBMISSION
from grader.benchmark.counters import NO_TIMES, CounterBenchmark, Counters, pairs
from grader.benchmark.rows import Comparison, Row
from grader.benchmark.words import conclusion, heading, shown_name, size_text, time_text

_BAR = 12  # characters of a full bar: names keep 18 of 80 columns
_NARROW_BAR = 8  # the same, in a table with a column for each of three contenders
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: float, width: int = _BAR) -> str:
    """``share`` of a bar of ``width`` characters, in eighths of one; above 1 it is full."""
    eighths = round(8 * width * min(1.0, max(0.0, share)))
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(width)


def show(view: RenderableType, console: Console | None = None) -> None:
    """Print a view."""
    (console or Console(highlight=False)).print(view)


def comparison_view(comparison: Comparison) -> RenderableType:
    """One workload."""
    first, _, second = heading(comparison).partition("\n")
    floor = comparison.floor
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold", min_width=18, max_width=44)
    for _ in range(3):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    shares = (floor.unit, "of the floor") if floor else ("", "")
    names = ("", "time", "spread", *shares, "peak memory")
    table.add_row(*(Text(name, "dim") for name in names))
    for row in comparison.rows:
        table.add_row(*_cells(row, comparison))
    parts: list[RenderableType] = [Text(first, "bold")]
    if second:
        parts.append(Text(second, "dim"))
    parts.append(Padding(table, (0, 0, 0, 1)))
    parts += [Text(why, "magenta") for why in _problems(comparison)]
    said = conclusion(comparison)
    return Group(Rule(style="dim"), *parts, *([Text(said)] if said else []))


def _cells(row: Row, comparison: Comparison) -> Iterator[Text]:
    name, inner = shown_name(row, comparison.rows)
    style = "bold" if row.contender == SUBMISSION else ""
    yield Text(f"  {name}" if inner else name, style)
    if not row.times:
        yield Text("not timed", "magenta")
        return
    yield Text(time_text(row.ms), style)
    yield Text(f"± {50 * row.spread:.1f} %", "dim")
    floor, share = comparison.floor, row.share(comparison.floor)
    if floor is None or share is None:
        yield Text("")
        yield Text("")
    else:
        yield Text(f"{floor.speed(row.ms):,.4g}")
        yield Text.assemble((bar(share), "green" if share >= 0.9 else "yellow"), f" {100 * share:3.0f} %")
    yield Text(size_text(row.peak_bytes))


def _problems(comparison: Comparison) -> Iterator[str]:
    for row in comparison.rows:
        if row.problem:
            yield f"{row.contender}: {row.problem}."


def counters_view(benchmark: CounterBenchmark) -> RenderableType:
    """The contenders by tensor, then the submission's lines."""
    parts: list[RenderableType] = [
        Text.assemble((benchmark.exercise, "bold"), f" · counters · {benchmark.device}"), Rule(style="dim"),
        Text(NO_TIMES), Text(f'{benchmark.call}, case "{benchmark.case}"', "dim"),
    ]  # fmt: skip
    for stage, found in pairs(benchmark):
        parts += [Text(f"\n{stage}", "bold"), Padding(_sums(found), (0, 0, 0, 1))]
        parts += [Padding(_lines(each), (0, 0, 0, 1)) for each in found.values() if each.lines]
    return Group(*parts, *(Text(note) for note in benchmark.notes))


def _sums(found: dict[str, Counters]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    width = _BAR if len(found) < 3 else _NARROW_BAR
    table.add_column()
    for _ in found:
        table.add_column(justify="right", min_width=width + len(" 100 %"))
    table.add_row("", *(Text(who, "dim") for who in found))
    every = found.values()
    table.add_row("launches", *(f"{each.launches:,}" for each in every))
    table.add_row("requests", *(f"{each.requests:,}" for each in every))
    table.add_row("bytes moved", *(size_text(each.moved) for each in every))
    if any(each.share is not None for each in every):
        table.add_row("the operation needs", *(size_text(each.least) for each in every))
        table.add_row(
            "needed of moved",
            *(
                "" if each.share is None else f"{bar(each.share, width)} {100 * each.share:3.0f} %"
                for each in every
            ),
        )
    if any(each.conflicts for each in every):
        table.add_row("bank conflicts", *(f"{each.conflicts:,}" for each in every))
    for what in dict.fromkeys(access.what for each in every for access in each.accesses):
        by = [{access.what: access for access in each.accesses}.get(what) for each in every]
        table.add_row(
            f"  {what}",
            *(f"{each.requests:,} requests, {each.sectors:,} sectors" if each else "none" for each in by),
        )
    return table


def _lines(counters: Counters) -> Group:
    """A source line across, and below it one row for each of its accesses."""
    parts: list[RenderableType] = [_line_grid("your lines", "requests", "sectors", "fewest", "dim")]
    for line in counters.lines:
        place = line.where.rpartition("/")[2]
        parts.append(Text.assemble((f"{place} │ ", "dim"), line.source, no_wrap=True, overflow="ellipsis"))
        for access, fewest in zip(line.accesses, line.fewest, strict=True):
            style = "bold red" if access.sectors > fewest else ""
            requests, sectors, least = (f"{each:,}" for each in (access.requests, access.sectors, fewest))
            parts.append(_line_grid(f"  {access.what}", requests, sectors, least, style))
    return Group(*parts)


def _line_grid(what: str, requests: str, sectors: str, fewest: str, style: str) -> Table:
    """One row; the columns have to agree from one source line to the next."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=30, no_wrap=True, overflow="ellipsis")
    for _ in range(3):
        table.add_column(width=12, justify="right", no_wrap=True)
    table.add_row(what, requests, sectors, fewest, style=style)
    return table
