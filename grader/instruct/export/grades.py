"""What an export contains: one student, points, and a comment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

OUT_OF = 100.0


@dataclass(frozen=True)
class Grade:
    """``points`` of 100; None where there is no mark yet."""

    student: str
    points: float | None
    comment: str = ""


def by_student(grades: Iterable[Grade]) -> Mapping[str, Grade]:
    """The grades that have points, by student."""
    return {grade.student: grade for grade in grades if grade.points is not None}
