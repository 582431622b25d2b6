"""A verdict on a terminal: one line per passed check, and all details of each failed one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cusimt.support.words import counted
from grader.report.excerpts import fitted
from grader.report.words import (
    MARKS,
    NAMES,
    amount,
    first_of_each_line,
    name_of,
    place,
    results_for,
    shown_checks,
    standing,
)
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict, overall

# Readable on light and dark backgrounds.
STYLES = {
    Status.PASS: "green",
    Status.FAIL: "bold red",
    Status.BUILD_ERROR: "bold red",
    Status.CRASH: "bold red",
    Status.TIMEOUT: "bold red",
    Status.NOT_ATTEMPTED: "magenta",
    Status.INCONCLUSIVE: "magenta",
    Status.UNAVAILABLE: "dim",
    Status.INFRA_ERROR: "bold magenta",
}
SHOWN_FINDINGS = 4


def show_verdict(verdict: Verdict, console: Console | None = None) -> None:
    """Print one verdict."""
    (console or Console(highlight=False)).print(verdict_view(verdict))


def show_table(verdicts: Sequence[Verdict], console: Console | None = None) -> None:
    """Print several verdicts as a table: exercise, checks, score, time, backend."""
    (console or Console(highlight=False)).print(table_view(verdicts))


def verdict_view(verdict: Verdict) -> RenderableType:
    shown, left = shown_checks(verdict)
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=1)
    grid.add_column(no_wrap=True, min_width=len("correctness"))
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    for check in shown:
        mark, style = MARKS[check.status], STYLES[check.status]
        grid.add_row(Text(mark, style), Text(name_of(check), style), Group(*_story(check)), _points(check))
    for sentence in left:
        grid.add_row("", "", Text(sentence, "dim"), "")
    footer = Text(f"seed {verdict.seed} · {verdict.seconds:.1f} s", "dim")
    return Group(_headline(verdict), Padding(grid, (0, 0, 0, 1)), Padding(footer, (0, 0, 1, 1)))


def _headline(verdict: Verdict) -> RenderableType:
    style = "green" if verdict.passed else STYLES[verdict.status]
    score = f"{standing(verdict)}, {amount(verdict.earned)}/{amount(verdict.out_of)}"
    title = Text.assemble(
        (verdict.exercise, "bold"), " · ", (score, style), f" · {verdict.title} · {verdict.backend}"
    )
    return Group(title, Rule(style="dim"))


def _points(check: CheckResult) -> Text:
    if not check.out_of or not check.status.counts:
        return Text("")
    return Text(f"{amount(check.points)}/{amount(check.out_of)}", STYLES[check.status])


def _story(check: CheckResult) -> Iterator[RenderableType]:
    """The sentence, then what belongs to it: compiler text, source lines, where to read on."""
    quiet = check.status is Status.UNAVAILABLE
    yield Text(check.sentence, "dim" if quiet else "")
    yield _Lines(check.lines)
    for number, (finding, is_new) in enumerate(first_of_each_line(check.findings[:SHOWN_FINDINGS])):
        yield from _finding(finding, known=number == 0, quoted=is_new)
    if len(check.findings) > SHOWN_FINDINGS:
        yield Text(f"and {counted(len(check.findings) - SHOWN_FINDINGS, 'more finding')}", "dim")
    if check.lesson:
        yield Text.assemble(("read ", "dim"), (check.lesson, "underline"))


@dataclass(frozen=True)
class _Lines:
    """Lines as they are, except that compilers' excerpts fit into the column."""

    lines: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in fitted(self.lines, options.max_width):
            yield Text(line, "dim", overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, options.max_width)


def _finding(finding: ReportedFinding, known: bool, quoted: bool) -> Iterator[RenderableType]:
    """A finding; when it is `known` from the check's sentence, only the source line and the place."""
    if not known:
        where = (f"{finding.where}: ", "bold") if finding.where else ""
        yield Text.assemble(where, finding.sentence)
    if finding.source and quoted:
        yield Text.assemble((f"{finding.line:>5} │ ", "dim"), finding.source.strip(), overflow="fold")
    if place(finding):
        yield Text(f"      │ {place(finding)}", "dim")


def table_view(verdicts: Sequence[Verdict]) -> RenderableType:
    """One row per verdict, with one mark per check in the order of the legend below."""
    present = {name for verdict in verdicts for name in _ended(verdict)}
    names = [name for name in NAMES if name in present and name not in ("todo", "changes")]
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    table.add_column("exercise", no_wrap=True)
    table.add_column("checks", no_wrap=True)
    for name in ("score", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("backend", no_wrap=True)
    for verdict in verdicts:
        style = "green" if verdict.passed else STYLES[verdict.status]
        score = Text(f"{amount(verdict.earned)}/{amount(verdict.out_of)}", style)
        table.add_row(
            verdict.exercise, _marks(verdict, names), score, f"{verdict.seconds:.1f} s", verdict.backend
        )
    legend = ", ".join(NAMES[name] for name in names)
    return Group(table, Text(f"checks: {legend}", "dim"))


def _marks(verdict: Verdict, names: Sequence[str]) -> Text:
    """A mark for every name; a blank where the exercise has no such check."""
    ended = _ended(verdict)
    return Text(" ").join(_mark(ended[name]) if name in ended else Text(" ") for name in names)


def _mark(status: Status) -> Text:
    return Text(MARKS[status], STYLES[status])


def _ended(verdict: Verdict) -> dict[str, Status]:
    """How each check ended; the parts of an exercise, which have names of their own, as one."""
    ended = {check.name: check.status for check in verdict.checks if check.name in NAMES}
    parts = {check.status for check in results_for(verdict, "parts")}
    return ended | ({"parts": overall(parts)} if parts else {})
