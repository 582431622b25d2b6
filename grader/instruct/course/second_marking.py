"""The sample for a second marker: unpredictable to students, and the same each time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence

from grader.instruct.course.marks import Mark
from grader.instruct.course.policy import Course


def double_marking(course: Course, marks: Sequence[Mark]) -> list[Mark]:
    """The sample of each assignment, from what was handed in, by assignment and then by student.

    Everybody has a number that follows from ``draw`` and who it is; the lowest are taken. So somebody who
    hands in later displaces one at most, and the others stay. Of a group only one is drawn.
    """
    sampling = course.double_marking
    chosen: list[Mark] = []
    for slug in course.assignments:
        handed_in = [mark for mark in marks if mark.assignment.exercise == slug and mark.attempt is not None]
        ranked = sorted(_one_of_each_group(handed_in), key=lambda mark: _number(sampling.draw, mark))
        size = max(math.ceil(len(ranked) * sampling.percent / 100), sampling.at_least)
        chosen += sorted(ranked[:size], key=lambda mark: mark.student)
    return chosen


def _one_of_each_group(marks: Iterable[Mark]) -> list[Mark]:
    """Who handed it in stands for the group."""
    units: dict[str, Mark] = {}
    for mark in marks:
        assert mark.attempt is not None
        unit = f"group {mark.group}" if mark.group else mark.student
        if unit not in units or mark.attempt.student == mark.student:
            units[unit] = mark
    return list(units.values())


def _number(draw: str, mark: Mark) -> str:
    unit = mark.group or mark.student
    return hashlib.sha256("\0".join((draw, mark.assignment.exercise, unit)).encode()).hexdigest()
