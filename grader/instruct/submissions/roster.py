"""The roster of an LMS: which student its numbers mean.

Three kinds are recognised by their columns:

    ID, SIS Login ID                     the gradebook that Canvas exports
    Identifier, Email address            the grading worksheet of one assignment that Moodle exports
    lms, student [, submitted]           your own
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from cusimt.support.words import reason
from grader.instruct.submissions.names import RULE, is_student
from grader.instruct.submissions.timestamps import aware, with_time
from grader.support.csv_table import Table, read_table
from grader.support.errors import UsageError

Row = Mapping[str, str]  # by the column's name in small letters
Read = Callable[[Row], tuple[str, str, str]]  # the LMS's id, the student, and when it was handed in or ""
_MOODLE_TIMES = (
    "%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%A, %d %B %Y, %I:%M:%S %p", "%A, %B %d, %Y, %I:%M %p",
)  # fmt: skip
_NEVER = ("", "-")  # what stands in the place of a time where nothing was handed in


@dataclass(frozen=True)
class Roster:
    """``students`` and ``times`` (aware) by the id that the LMS uses; ``path`` is the file that says so."""

    students: dict[str, str] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    path: Path | None = field(default=None, compare=False)


def read_roster(path: Path, zone: tzinfo | None = None) -> Roster:
    """The roster in the CSV file ``path``. Times without a zone are those of ``zone``, or of this machine.

    Raises UsageError for a file of another kind, for an id that cannot be a folder's name, and for a time
    that cannot be read: a deadline depends on it, so nothing is guessed.
    """
    try:
        table = read_table(path)
    except (OSError, ValueError) as problem:
        raise _unusable(path, reason(problem)) from problem
    columns = [name.strip().casefold() for name in table.header]  # versions of an LMS differ in capitals
    for needed, read in _KINDS.items():
        if set(needed) <= set(columns):
            return _collected(path, _rows(columns, table), read, zone)
    raise _unusable(path, f"its columns are {', '.join(table.header) or 'none'}")


def _rows(columns: list[str], table: Table) -> Iterable[tuple[int, Row]]:
    """Lines by number. What a short line does not have is empty; what a long one has too much is left out."""
    for line, cells in table.rows:
        filled = itertools.chain(map(str.strip, cells), itertools.repeat(""))
        yield line, dict(zip(columns, filled, strict=False))


def _collected(path: Path, rows: Iterable[tuple[int, Row]], read: Read, zone: tzinfo | None) -> Roster:
    roster = Roster(path=path)
    for line, row in rows:
        lms, student, submitted = read(row)
        if not lms or not student:
            continue  # a row about points possible, or a person without a login
        if not is_student(student):
            raise UsageError(
                f"Line {line} of {path} has the student {student!r}.",
                RULE,
                "Write a roster of your own, with lms,student, in which everybody has an id of that form.",
            )
        if roster.students.setdefault(lms, student) != student:
            raise _unusable(path, f"in line {line}, {lms} is given to a second student")
        if submitted not in _NEVER:
            roster.times[lms] = aware(_moment(path, line, submitted), zone)
    return roster


def _canvas(row: Row) -> tuple[str, str, str]:
    return row["id"], row["sis login id"] or row.get("sis user id", ""), ""


def _moodle(row: Row) -> tuple[str, str, str]:
    """The number alone is what stands in the archive's names, ``Participant 12345`` in the worksheet."""
    named = (row.get(column, "") for column in ("username", "id number", "email address"))
    student = next(filter(None, named), "")
    number = next(reversed(row["identifier"].split()), "")
    return number, student, row.get("last modified (submission)", "")


def _own(row: Row) -> tuple[str, str, str]:
    return row["lms"], row["student"], row.get("submitted", "")


def _moment(path: Path, line: int, text: str) -> datetime:
    with contextlib.suppress(ValueError):
        return with_time(text)
    for form in _MOODLE_TIMES:
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    raise UsageError(
        f"Line {line} of {path} has the time {text!r}, which cannot be read.",
        "A deadline depends on it, so it is written as 2026-10-20 00:10, or as Moodle writes it in English.",
        "Correct it, or leave it empty where you do not know it; then run the command again.",
    )


def _unusable(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path} cannot be used as a roster: {why}.",
        "A roster is Canvas's gradebook, Moodle's grading worksheet, or a CSV file with lms,student.",
        "Export it again, in English, or write the two columns yourself.",
    )


_KINDS: Mapping[tuple[str, ...], Read] = {
    ("lms", "student"): _own,
    ("id", "sis login id"): _canvas,
    ("identifier", "email address"): _moodle,
}
