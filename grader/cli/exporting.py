"""`grader export`: from the marks of a class to the file that an LMS or a spreadsheet takes."""

from __future__ import annotations

from pathlib import Path

from grader.catalog import Catalog
from grader.errors import UsageError
from grader.instruct.course import Course, Mark, marks_in, read_course
from grader.instruct.course.explain import explain
from grader.instruct.export import Grade, fill_canvas, fill_moodle, write_csv
from grader.words import counted


def export_csv(out: Path, folder: Path | None, exercises: Path | None) -> None:
    """Writes every mark to ``out``."""
    lines = write_csv(_grades(folder, exercises), out)
    print(f"{counted(lines, 'mark')} written to {out}.")


def export_canvas(
    gradebook: Path, assignment: str, column: str, out: Path, folder: Path | None, exercises: Path | None
) -> None:
    """Fills the column of one assignment; without ``column`` it is the one with the exercise's title."""
    exercise = Catalog.open(exercises).find(assignment)
    grades = _grades(folder, exercises, exercise.slug)
    print(fill_canvas(gradebook, column or exercise.title, grades, out).sentence)
    print(f"Next: in Canvas, Grades, Import, {out}")


def export_moodle(
    worksheet: Path, assignment: str, out: Path, folder: Path | None, exercises: Path | None
) -> None:
    """Fills the worksheet of one assignment."""
    exercise = Catalog.open(exercises).find(assignment)
    print(fill_moodle(worksheet, _grades(folder, exercises, exercise.slug), out).sentence)
    print(f"Next: in Moodle, View all submissions, Upload grading worksheet, {out}")


def _grades(folder: Path | None, exercises: Path | None, slug: str = "") -> list[Grade]:
    """The marks of the class in ``folder``, or those of one assignment."""
    course, catalog = read_course(folder), Catalog.open(exercises)
    if slug and slug not in course.assignments:
        raise UsageError(
            f"{slug} is no assignment of {course.title}.",
            f"The assignments in {course.file} are {', '.join(course.assignments)}.",
            "Name one of them, or add it there.",
        )
    return [
        _grade(mark, course, catalog)
        for mark in marks_in(course, catalog)
        if slug in ("", mark.assignment.exercise)
    ]


def _grade(mark: Mark, course: Course, catalog: Catalog) -> Grade:
    """A mark that does not count yet has no points: it leaves the cell alone."""
    exercise = catalog.find(mark.assignment.exercise)
    comment = " ".join(explain(mark, exercise, course.zone, to_student=True))
    points = mark.points if mark.counts else None
    return Grade(mark.student, exercise.slug, points, state=mark.state.value, comment=comment)
