"""A table that says which student an LMS means by a number, read from what the LMS exports.

Three kinds are recognised by their columns:

    ID, SIS Login ID                     the gradebook that Canvas exports
    Identifier, Email address            the grading worksheet of one assignment that Moodle exports
    lms, student [, submitted]           your own
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from grader.errors import UsageError
from grader.instruct.submissions.names import is_student
from grader.instruct.submissions.timestamps import aware

Row = Mapping[str, str]
Read = Callable[[Row], tuple[str, str, str]]  # the LMS's id, the student, and when it was handed in or ""
_MOODLE_TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%A, %d %B %Y, %I:%M:%S %p")


@dataclass(frozen=True)
class Roster:
    """``students`` and ``times`` (aware) by the id that the LMS uses."""

    students: dict[str, str] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)


def read_roster(path: Path, zone: tzinfo | None = None) -> Roster:
    """The roster in the CSV file ``path``. Times without a zone are those of ``zone``, or of this machine.

    Raises UsageError for a file of another kind, and for an id that
    cannot be a folder's name.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [_stripped(row) for row in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise _unusable(path, str(problem)) from problem
    columns = set(rows[0]) if rows else set()
    for needed, read in _KINDS.items():
        if set(needed) <= columns:
            return _collected(path, rows, read, zone)
    raise _unusable(path, f"its columns are {', '.join(rows[0]) if rows else 'none'}")


def _stripped(row: Mapping[str | None, str | list[str] | None]) -> Row:
    """Without the cells that a short or a long line has none or too many of."""
    return {key.strip(): cell.strip() for key, cell in row.items() if key and isinstance(cell, str)}


def _collected(path: Path, rows: list[Row], read: Read, zone: tzinfo | None) -> Roster:
    roster = Roster()
    for lms, student, submitted in map(read, rows):
        if not lms or not student:
            continue  # a row about points possible, or a person without a login
        if not is_student(student):
            raise _unusable(path, f"{student!r} cannot name a folder")
        if roster.students.setdefault(lms, student) != student:
            raise _unusable(path, f"{lms} stands for two students")
        moment = _moment(submitted)
        if moment:
            roster.times[lms] = aware(moment, zone)
    return roster


def _canvas(row: Row) -> tuple[str, str, str]:
    return row["ID"], row["SIS Login ID"] or row.get("SIS User ID", ""), ""


def _moodle(row: Row) -> tuple[str, str, str]:
    """The number alone is what stands in the archive's names, ``Participant 12345`` in the worksheet."""
    named = (row.get(column, "") for column in ("Username", "ID number", "Email address"))
    student = next(filter(None, named), "")
    return row["Identifier"].split()[-1], student, row.get("Last modified (submission)", "")


def _own(row: Row) -> tuple[str, str, str]:
    return row["lms"], row["student"], row.get("submitted", "")


def _moment(text: str) -> datetime | None:
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text)
    for form in _MOODLE_TIMES:
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    return None


def _unusable(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path} cannot be used as a roster: {why}.",
        "A roster is Canvas's gradebook, Moodle's grading worksheet, or a CSV file with lms,student.",
        "Export it again, in English, or write the two columns yourself.",
    )


_KINDS: Mapping[tuple[str, ...], Read] = {
    ("lms", "student"): _own,
    ("ID", "SIS Login ID"): _canvas,
    ("Identifier", "Email address"): _moodle,
}
