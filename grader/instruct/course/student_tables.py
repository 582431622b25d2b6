"""Tables beside `course.toml`: students, extensions, groups, adjustments.

All are CSV in UTF-8 with a header, separated by commas or, as some spreadsheets write it, semicolons::

    students.csv      student[,name]                     everybody, also those who hand in nothing
    extensions.csv    student,exercise,until|days,reason a later deadline; exercise * means all
    groups.csv        group,student[,exercise]           who hands in together; exercise empty means all
    adjustments.csv   student,exercise,points,reason,by  points of 100, added to a mark by a person
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from grader.instruct.course.policy import Course
from grader.instruct.course.tables import Row, read_rows
from grader.instruct.submissions.names import RULE, is_student
from grader.instruct.submissions.timestamps import aware, with_time
from grader.support.errors import UsageError

ALL = "*"
_MOST_DAYS = 366  # a year: more is a slip


@dataclass(frozen=True)
class Extension:
    """A later deadline, as a moment or as an addition to what the assignment says."""

    student: str
    exercise: str
    until: datetime | None
    longer: timedelta
    reason: str


@dataclass(frozen=True)
class Adjustment:
    """``points`` of 100 that ``by`` added to a mark, or took away."""

    points: float
    reason: str
    by: str


@dataclass(frozen=True)
class People:
    """What the tables say; every one of them may be missing."""

    students: dict[str, str]
    extensions: tuple[Extension, ...]
    groups: dict[tuple[str, str], str]
    adjustments: dict[tuple[str, str], tuple[Adjustment, ...]]

    def due(self, student: str, exercise: str, due: datetime | None) -> tuple[datetime | None, str]:
        """The deadline of this student, and the reason where an extension moved it.

        Of several extensions the latest deadline counts. Where nothing is due, nothing can be extended.
        """
        latest, reason = due, ""
        for each in self.extensions:
            if due is None or each.student != student or each.exercise not in (ALL, exercise):
                continue
            moved = each.until or _later(due, each.longer)
            if latest is None or moved > latest:
                latest, reason = moved, each.reason
        return latest, reason

    def group(self, student: str, exercise: str) -> str:
        """The name of the student's group for this exercise, or ``""``."""
        return self.groups.get((student, exercise)) or self.groups.get((student, ALL), "")

    def accepts(self, student: str) -> bool:
        """Whether ``student`` is in the roster, students.csv; without one, whoever hands in is."""
        return not self.students or student in self.students

    @property
    def mentioned(self) -> set[str]:
        """Everybody whom an extension, a group or an adjustment is about."""
        grouped = {student for student, _ in self.groups}
        adjusted = {student for student, _ in self.adjustments}
        return {each.student for each in self.extensions} | grouped | adjusted

    def without_effect(self, course: Course) -> list[Extension]:
        """Extensions whose ``until`` is after the deadline of no assignment that they are about."""
        return [
            each
            for each in self.extensions
            if each.until
            and not any(
                assignment.due and assignment.due < each.until
                for slug, assignment in course.assignments.items()
                if each.exercise in (ALL, slug)
            )
        ]

    def together(self, exercise: str, students: Iterable[str]) -> list[list[str]]:
        """Who hands in as one: the members of each group, and everybody else alone."""
        units: dict[str, list[str]] = {}
        for student in students:
            group = self.group(student, exercise)
            units.setdefault(f"group {group}" if group else student, []).append(student)
        return list(units.values())


def read_people(course: Course) -> People:
    """The tables in the course folder. Raises UsageError naming the file and line of what is wrong."""
    folder = course.folder
    roster = folder / "students.csv"
    students = {_student(row): row["name"] for row in read_rows(roster, ("student",))}
    if roster.exists() and not students:  # which would be no roster, and accept every id
        raise UsageError(
            f"{roster} has no students.",
            "An id that it lacks is in no export and no release. Without the file, every id counts.",
            "Add a line for each student to it, or delete it.",
        )
    extensions = tuple(
        _extension(row, course)
        for row in read_rows(folder / "extensions.csv", ("student", "exercise", "reason"))
    )
    adjustments: dict[tuple[str, str], tuple[Adjustment, ...]] = {}
    for row in read_rows(folder / "adjustments.csv", ("student", "exercise", "points", "reason", "by")):
        place = _student(row), _assigned(row, course)
        adjustments[place] = (*adjustments.get(place, ()), _adjustment(row))
    return People(students, extensions, dict(_memberships(folder / "groups.csv", course)), adjustments)


def _later(due: datetime, longer: timedelta) -> datetime:
    """A deadline in the year 9999 means never, and is not moved beyond what a datetime can hold."""
    try:
        return due + longer
    except OverflowError:
        return due


def _extension(row: Row, course: Course) -> Extension:
    until, days = row["until"], row["days"]
    if bool(until) == bool(days):
        raise row.broken("has both or none of `until` and `days`", "An extension says one of them.")
    if not row["reason"]:
        raise row.broken("gives no reason", "A later reader must be able to understand the mark.")
    moment = None
    if until:
        try:
            moment = aware(with_time(until), course.zone)
        except ValueError:
            raise row.broken(
                f"has until {until!r}", "It is a date and a time, as 2026-10-21T23:59."
            ) from None
    longer = _longer(row) if days else timedelta()
    exercise = ALL if row["exercise"] == ALL else _assigned(row, course)
    return Extension(_student(row), exercise, moment, longer, row["reason"])


def _longer(row: Row) -> timedelta:
    days = row.number("days")
    if not 1 <= days <= _MOST_DAYS:
        raise row.broken(f"has days {row['days']!r}", f"An extension is of 1 to {_MOST_DAYS} days.")
    return timedelta(days=days)


def _adjustment(row: Row) -> Adjustment:
    if not row["reason"] or not row["by"]:
        raise row.broken("lacks a reason or a name", "A mark that a person changed says why, and who.")
    return Adjustment(row.number("points"), row["reason"], row["by"])


def _memberships(path: Path, course: Course) -> Iterator[tuple[tuple[str, str], str]]:
    seen: dict[tuple[str, str], str] = {}
    for row in read_rows(path, ("group", "student")):
        if not row["student"]:
            raise row.broken("has no student", "A line of a group names one of its members.")
        exercise = _assigned(row, course) if row["exercise"] else ALL
        place = _student(row), exercise
        if place in seen:
            raise row.broken(
                f"puts {row['student']} into a second group", "A student is in one group at a time."
            )
        seen[place] = row["group"]
        yield place, row["group"]


def _student(row: Row) -> str:
    """An id that a folder of hand-ins can have: of any other, nothing that was handed in would be found."""
    if not is_student(row["student"]):
        raise row.broken(f"has the student {row['student']!r}", RULE)
    return row["student"]


def _assigned(row: Row, course: Course) -> str:
    if row["exercise"] not in course.assignments:
        known = ", ".join(course.assignments)
        raise row.broken(f"names the exercise {row['exercise']!r}", f"{course.file.name} has: {known}.")
    return row["exercise"]
