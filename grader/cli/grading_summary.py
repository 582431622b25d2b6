"""Summary of a batch on stdout: a line for each exercise, then what a person must look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from cusimt.support.words import listed
from grader.instruct.batch.summary import ExerciseSummary, Notice, Summary
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


def print_summary(summary: Summary) -> None:
    """The whole summary; names of students appear in it."""
    for each in summary.exercises:
        print(_sentence(each))
    for line in _notices(summary.notices):
        print(line)


def _sentence(each: ExerciseSummary) -> str:
    words = listed([f"{count} {_ENDED[status]}" for status, count in each.statuses.items()])
    average = f", with {100 * each.mean:.0f} % of the points on average" if each.judged else ""
    ended = f": {words}" if words else ""
    return f"{each.slug}: {each.judged} of {each.submissions} judged{average}{ended}."


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    if not notices:
        yield "\nNothing needs a person."
        return
    yield f"\nFor a person to look at ({len(notices)}):"
    for slug, group in groupby(notices, key=lambda notice: notice.exercise):
        for notice in group:
            yield f"  {'/'.join(part for part in (notice.student, slug) if part)}: {notice.sentence}"
