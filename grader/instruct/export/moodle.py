"""Fill the grading worksheet of one assignment that Moodle exported.

Moodle finds people by ``Identifier``, and passes over a row whose grade was changed since; so these and the
times stay as they are. It passes over a grade above the maximum, too, without a word. Feedback is HTML there.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from grader.instruct.export.sheet import (
    OUT_OF,
    Filled,
    Grade,
    Sheet,
    by_student,
    inert,
    number,
    scaled,
    unknown_of,
)
from grader.support.errors import UsageError

PEOPLE = ("Username", "ID number", "Email address", "Identifier")
NEEDED = ("Identifier", "Grade", "Maximum Grade")
FEEDBACK, CHANGEABLE = "Feedback comments", "Grade can be changed"


def is_worksheet(path: Path) -> bool:
    """Whether it has the columns of a grading worksheet. Raises UsageError where it is no table."""
    sheet = Sheet.read(path, "a sheet of Canvas or Moodle")
    return sheet.column("Identifier") >= 0


def fill_moodle(worksheet: Path, grades: Iterable[Grade], out: Path) -> Filled:
    """Write to ``out`` the sheet ``worksheet`` with points and, where it has the column, comments.

    Points are scaled to each row's maximum grade and end there; whose do is in the answer. Raises UsageError
    for another kind of sheet.
    """
    sheet = Sheet.read(worksheet, "a grading worksheet of Moodle")
    missing = [name for name in NEEDED if sheet.column(name) < 0]
    if missing:
        raise UsageError(
            f"{worksheet} cannot be filled: it has no column {missing[0]!r}.",
            f"A grading worksheet has {', '.join(NEEDED)}, in English.",
            "In Moodle, turn on the offline grading worksheet, set the language to English, and download it.",
        )
    wanted = by_student(grades)
    named, rows = sheet.find_students(PEOPLE, wanted)
    untouched, cut = [], []
    for student, place in rows.items():
        row, grade = sheet.rows[place], wanted[student]
        why, maximum = _kept(sheet, row), number(row[sheet.column("Maximum Grade")])
        if why or maximum is None:
            untouched.append(f"{student} {why or 'has no maximum grade'}")
            continue
        points = scaled(grade.points or 0.0, OUT_OF, maximum)
        if float(points) > maximum:
            cut.append(f"{student} has {points} of {maximum:g}")
            points = f"{maximum:g}"
        _fill(sheet, row, points, grade.comment)
    sheet.write(out)
    written = len(rows) - len(untouched)
    return Filled(written, named, unknown_of(wanted, rows), tuple(untouched), tuple(cut))


def _kept(sheet: Sheet, row: list[str]) -> str:
    """Why a row stays as it is, or ""."""
    at = sheet.column(CHANGEABLE)
    return "is locked in Moodle's gradebook" if at >= 0 and row[at].strip().casefold() == "no" else ""


def _fill(sheet: Sheet, row: list[str], points: str, comment: str) -> None:
    row[sheet.column("Grade")] = points
    feedback = sheet.column(FEEDBACK)
    if feedback >= 0 and comment:
        row[feedback] = inert(html.escape(comment, quote=False).replace("\n", "<br>"))
