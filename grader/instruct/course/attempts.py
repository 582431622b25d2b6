"""Who handed in what and when: each hand-in once, also when the folder holds a later one now.

``RESULTS/attempts.jsonl`` has a line for each, by pseudonym; ``RESULTS/roster.csv`` says who that is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.catalog import Catalog
from grader.instruct.course.tables import read_rows
from grader.instruct.results import ResultStore, content_digest
from grader.instruct.results.durable import replace
from grader.instruct.results.lines import Lines
from grader.instruct.submissions import Submission

ATTEMPTS, ROSTER = "attempts.jsonl", "roster.csv"
_COLUMNS = ("pseudonym", "student")


@dataclass(frozen=True)
class Attempt:
    """One hand-in. ``digest`` is of the files that count, as in a record's key; ``submitted`` is aware."""

    student: str
    exercise: str
    digest: str
    submitted: datetime | None


def remember(store: ResultStore, submissions: Iterable[Submission], catalog: Catalog) -> list[Attempt]:
    """Notes what is in the folder of submissions now, and returns every hand-in ever noted.

    Raises UsageError where what is kept in the folder of results cannot be read.
    """
    names = read_roster(store.folder)
    lines = Lines(store.folder / ATTEMPTS)
    noted = {_line_key(document): None for _, document in lines}
    present = [_attempt(submission, catalog) for submission in submissions]
    pseudonyms = {attempt.student: store.secret.pseudonym(attempt.student) for attempt in present}
    fresh = {name: student for student, name in pseudonyms.items() if name not in names}
    if fresh:
        names |= fresh
        write_roster(store.folder, names)
    for attempt in present:
        key = pseudonyms[attempt.student], attempt.exercise, attempt.digest, _written(attempt.submitted)
        if key not in noted:
            noted[key] = None
            lines.append(dict(zip(_KEY, key, strict=True)))
    return [
        Attempt(names[student], exercise, digest, datetime.fromisoformat(submitted) if submitted else None)
        for student, exercise, digest, submitted in noted
        if student in names
    ]


def latest_first(attempts: Iterable[Attempt]) -> list[Attempt]:
    """By the time of handing in; what has no time comes last, the one noted last first."""
    known = [attempt for attempt in attempts if attempt.submitted is not None]
    unknown = [attempt for attempt in attempts if attempt.submitted is None]
    return sorted(known, key=lambda each: each.submitted or datetime.min, reverse=True) + unknown[::-1]


def read_roster(results: Path) -> dict[str, str]:
    """Students by their pseudonyms. Raises UsageError naming a line that is wrong."""
    return {row["pseudonym"]: row["student"] for row in read_rows(results / ROSTER, _COLUMNS)}


def write_roster(results: Path, names: dict[str, str]) -> None:
    """Replaces the list; sorted by student, since instructors read it."""
    text = io.StringIO(newline="")
    rows: Sequence[tuple[str, str]] = sorted(names.items(), key=lambda each: each[1])
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *rows])
    replace(results / ROSTER, text.getvalue())


_KEY = ("student", "exercise", "digest", "submitted")


def _line_key(document: dict[str, str]) -> tuple[str, str, str, str]:
    student, exercise, digest, submitted = (document[name] for name in _KEY)
    return student, exercise, digest, submitted


def _attempt(submission: Submission, catalog: Catalog) -> Attempt:
    digest = content_digest(submission, catalog.find(submission.exercise))
    return Attempt(submission.student, submission.exercise, digest, submission.submitted)


def _written(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
