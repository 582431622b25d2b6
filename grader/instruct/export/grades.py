"""What an export contains: one student, one exercise, points, and a comment."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.instruct.export.sheet import inert, write_new

COLUMNS = ("student", "exercise", "points", "out_of", "state", "comment")


@dataclass(frozen=True)
class Grade:
    """``points`` of ``out_of``; None where there is no mark yet, and ``state`` says why."""

    student: str
    exercise: str
    points: float | None
    out_of: float = 100.0
    state: str = ""
    comment: str = ""


def write_csv(grades: Iterable[Grade], path: Path) -> int:
    """Write a table with a line for each grade, by student and exercise; returns how many.

    Raises UsageError where ``path`` exists or cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    lines = 0
    for grade in sorted(grades, key=lambda grade: (grade.student, grade.exercise)):
        points = "" if grade.points is None else f"{grade.points:.2f}"
        words = (inert(grade.state), inert(grade.comment))
        writer.writerow([inert(grade.student), grade.exercise, points, f"{grade.out_of:g}", *words])
        lines += 1
    write_new(path, text.getvalue())
    return lines


def by_student(grades: Iterable[Grade]) -> Mapping[str, Grade]:
    """The grades of one exercise that have points, by student."""
    return {grade.student: grade for grade in grades if grade.points is not None}
