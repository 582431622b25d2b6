"""Fill one column of a gradebook that Canvas exported.

Canvas finds people by ID and assignments by ``Title (12345)`` in the header. Below it stands a row about
posting, where an assignment is posted by hand, and one with the points possible; both stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.instruct.export.sheet import OUT_OF, Filled, Grade, Sheet, by_student, number, scaled, unknown_of
from grader.support.errors import UsageError

PEOPLE = ("SIS Login ID", "SIS User ID", "ID", "Integration ID")
_NUMBERED = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)\s*")
_KEPT = {"EX": "is excused", "N/A": "is not assigned to this student"}


def fill_canvas(
    gradebook: Path, columns: Mapping[str, Iterable[Grade]], out: Path, *, every: bool = True
) -> dict[str, Filled]:
    """Write to ``out`` the sheet ``gradebook`` with the points of ``columns``, grades by the column's title.

    A title is with or without Canvas's number. Points are scaled to the points possible. Who is excused stays
    so. Raises UsageError for another kind of sheet, or when a column is not clear; of several only where
    ``every`` one has to be there, or none is.
    """
    sheet = Sheet.read(gradebook, "a gradebook of Canvas")
    if sheet.column("ID") < 0 or sheet.column("Section") < 0:
        raise _unlike(gradebook, "it has no columns ID and Section")
    there = {title: grades for title, grades in columns.items() if every or _columns(sheet, title)}
    filled = {title: _fill(sheet, title, grades) for title, grades in (there or columns).items()}
    sheet.write(out)
    return filled


def _fill(sheet: Sheet, assignment: str, grades: Iterable[Grade]) -> Filled:
    column = _column(sheet, assignment)
    possible = _points_possible(sheet, column)
    wanted = by_student(grades)
    named, rows = sheet.find_students(PEOPLE, wanted)
    untouched = []
    for student, place in rows.items():
        row = sheet.rows[place]
        why = _KEPT.get(row[column].strip().upper())
        if why:
            untouched.append(f"{student} {why}")
            continue
        row[column] = scaled(wanted[student].points or 0.0, OUT_OF, possible)
    return Filled(len(rows) - len(untouched), named, unknown_of(wanted, rows), tuple(untouched))


def _columns(sheet: Sheet, assignment: str) -> list[int]:
    wanted = assignment.strip().casefold()
    section = sheet.column("Section")
    places = []
    for place, title in enumerate(sheet.header):
        match = _NUMBERED.fullmatch(title)
        names = {title.strip(), match["title"], match["id"]} if match else {title.strip()}
        if place > section and wanted in {name.casefold() for name in names}:
            places.append(place)
    return places


def _column(sheet: Sheet, assignment: str) -> int:
    places = _columns(sheet, assignment)
    if len(places) != 1:
        titles = [
            title for title in sheet.header[sheet.column("Section") + 1 :] if _NUMBERED.fullmatch(title)
        ]
        raise UsageError(
            f"{sheet.source} has {'no column' if not places else f'{len(places)} columns'} {assignment!r}.",
            f"Its assignments are: {'; '.join(titles) or 'none'}.",
            "Name one of them, or its number, with --column.",
        )
    return places[0]


def _points_possible(sheet: Sheet, column: int) -> float:
    row = next((row for row in sheet.rows if "Points Possible" in row[0]), None)
    possible = number(row[column]) if row else None
    if possible is None:
        title = sheet.header[column]
        raise _unlike(sheet.source, f"{title!r} has no points possible, or may not be written")
    return possible


def _unlike(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path} cannot be filled: {why}.",
        "A gradebook of Canvas has ID and Section, then assignments, and a row with the points possible.",
        "Export it in Canvas, Grades, Export, and give the assignment points there.",
    )
