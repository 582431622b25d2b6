"""Fills the grading worksheet of one assignment that Moodle exported, for Moodle to import.

Moodle finds people by ``Identifier``, and passes over a row whose grade was changed since; so these and the
times stay as they are. Feedback is HTML there.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from grader.errors import UsageError
from grader.instruct.export.grades import Grade, by_student
from grader.instruct.export.sheet import Filled, Sheet, inert, number, scaled, unknown_of

PEOPLE = ("Username", "ID number", "Email address", "Identifier")
NEEDED = ("Identifier", "Grade", "Maximum Grade")
FEEDBACK, CHANGEABLE = "Feedback comments", "Grade can be changed"


def fill_moodle(worksheet: Path, grades: Iterable[Grade], out: Path) -> Filled:
    """Write to ``out`` the sheet ``worksheet`` with points and, where it has the column, comments.

    Points are scaled to each row's maximum grade. Raises UsageError for another kind of sheet.
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
    untouched = []
    for student, place in rows.items():
        why = _fill(sheet, sheet.rows[place], wanted[student])
        if why:
            untouched.append(f"{student} {why}")
    sheet.write(out)
    return Filled(len(rows) - len(untouched), named, unknown_of(wanted, rows), tuple(untouched))


def _fill(sheet: Sheet, row: list[str], grade: Grade) -> str:
    """Write one row, or say why not."""
    changeable, feedback = sheet.column(CHANGEABLE), sheet.column(FEEDBACK)
    if changeable >= 0 and row[changeable].strip().casefold() == "no":
        return "is locked in Moodle's gradebook"
    maximum = number(row[sheet.column("Maximum Grade")])
    if maximum is None:
        return "has no maximum grade"
    row[sheet.column("Grade")] = scaled(grade.points or 0.0, grade.out_of, maximum)
    if feedback >= 0 and grade.comment:
        row[feedback] = inert(html.escape(grade.comment, quote=False).replace("\n", "<br>"))
    return ""
