"""Summary of a batch on stdout: a table of the exercises, then what a person must look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from cusimt.support.words import counted, listed
from grader.instruct.batch.summary import BANDS, ExerciseSummary, Notice, Summary
from grader.verdict import Status

# How submissions ended, after their number.
_ENDED = {
    Status.PASS: "passed",
    Status.FAIL: "failed",
    Status.BUILD_ERROR: "did not build",
    Status.CRASH: "crashed",
    Status.TIMEOUT: "took too long",
    Status.NOT_ATTEMPTED: "left a TODO open",
    Status.UNAVAILABLE: "could not be judged on this backend",
}


def print_summary(summary: Summary, *, plain: bool) -> None:
    """The whole summary; names of students appear in it."""
    if plain:
        print("\n".join(_sentence(each) for each in summary.exercises))
    else:
        _print_table(summary.exercises)
    for line in _notices(summary.notices):
        print(line)


def _print_table(exercises: Iterable[ExerciseSummary]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("exercise", no_wrap=True)
    for name in ("judged", *BANDS, "mean", "median"):
        table.add_column(name, justify="right")
    for each in exercises:
        table.add_row(
            each.slug, f"{each.judged}/{each.submissions}", *(str(count or "") for count in each.bands),
            _percent(each.mean), _percent(each.median),
        )  # fmt: skip
    console = Console(highlight=False)
    console.print(table)
    for each in exercises:
        console.print(f"{each.slug}: {_statuses(each)}.", style="dim")


def _sentence(each: ExerciseSummary) -> str:
    bands = ", ".join(f"{count} with {band}" for count, band in zip(each.bands, BANDS, strict=True) if count)
    average = f"mean {_percent(each.mean)} and median {_percent(each.median)} of the points"
    judged = f"{each.judged} of {counted(each.submissions, 'submission')} judged"
    return f"{each.slug}: {judged}, {average}; {bands or 'none with points'}. {_statuses(each)}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _statuses(each: ExerciseSummary) -> str:
    words = [f"{count} {_ENDED[status]}" for status, count in each.statuses.items()]
    return listed(words) or "nothing was judged"


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    if not notices:
        yield "\nNothing needs a person."
        return
    yield f"\nFor a person to look at ({len(notices)}):"
    for slug, group in groupby(notices, key=lambda notice: notice.exercise):
        for notice in group:
            yield f"  {'/'.join(part for part in (notice.student, slug) if part)}: {notice.sentence}"
