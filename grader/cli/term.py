"""The class that a command is about, and which of its marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.words import counted
from grader.course.catalog import Catalog
from grader.instruct.course import Course, Mark, folder_around, marks_in, read_course
from grader.support.errors import UsageError


@dataclass(frozen=True)
class MarksOptions:
    """What the command line asked for; without ``students`` or ``names`` (exercises) all of them."""

    folder: Path = Path()
    exercises: Path | None = None
    students: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    plain: bool = False


@dataclass(frozen=True)
class Term:
    """A class and the exercises that it uses."""

    course: Course
    catalog: Catalog

    def chosen(self, request: MarksOptions) -> list[Mark]:
        """The marks that were asked for. Raises UsageError for an unknown student or assignment."""
        return self.select(marks_in(self.course, self.catalog), request)

    def select(self, marks: Iterable[Mark], request: MarksOptions) -> list[Mark]:
        """Those of ``marks`` of the whole class that were asked for. Raises UsageError as ``chosen``."""
        marks, slugs = list(marks), self.slugs(request)
        known = {mark.student for mark in marks}
        for student in request.students:
            if student not in known:
                raise UsageError(
                    f"There is no student {student!r} in this class.",
                    f"{counted(len(known), 'student')} handed in something or are in students.csv.",
                    "See all of them with: grader class marks",
                )
        wanted = set(request.students) or known
        return [mark for mark in marks if mark.student in wanted and mark.assignment.exercise in slugs]

    def slugs(self, request: MarksOptions) -> list[str]:
        """The assignments that were asked for, in the order of course.toml."""
        named = {self.slug(name) for name in request.names}
        return [slug for slug in self.course.assignments if not named or slug in named]

    def slug(self, name: str) -> str:
        """The assignment that ``name``, a number or a slug, means. Raises UsageError where it is none."""
        slug = self.catalog.find(name).slug
        if slug in self.course.assignments:
            return slug
        raise UsageError(
            f"{slug} is no assignment of this course.",
            f"{self.course.file} names those that are.",
            f"Add [assignments.{slug}] there, or name another.",
        )


def open_term(request: MarksOptions) -> Term:
    """The class around ``--class``, with the exercises of ``--course``, of its own folder, or around here."""
    course = read_course(folder_around(request.folder) or request.folder)
    own = course.folder if (course.folder / "exercises").is_dir() else None
    return Term(course, Catalog.open(request.exercises or own))
