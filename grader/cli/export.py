"""`grader export`: write the marks of a class to a file for an LMS or a spreadsheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import counted
from grader.cli.exported_marks import exported_marks
from grader.cli.feedback import export_feedback
from grader.cli.marks import MarksOptions, Term, open_term
from grader.cli.options import Course
from grader.instruct.course import Mark
from grader.instruct.course.explanation import explain
from grader.instruct.export import Grade, fill_canvas, fill_moodle, write_csv


def export_csv(out: Path, folder: Path | None, exercises: Path | None) -> None:
    """Writes every mark to ``out``."""
    request = MarksOptions(folder or Path(), exercises)
    lines = write_csv(_grades(open_term(request), request), out)
    print(f"{counted(lines, 'mark')} written to {out}.")


def export_canvas(
    gradebook: Path, assignment: str, column: str, out: Path, folder: Path | None, exercises: Path | None
) -> None:
    """Fills the column of one assignment; without ``column`` it is the one with the exercise's title."""
    request = MarksOptions(folder or Path(), exercises, names=(assignment,))
    term = open_term(request)
    title = column or term.catalog.find(assignment).title
    print(fill_canvas(gradebook, title, _grades(term, request), out).sentence)
    print(f"Next: in Canvas, Grades, Import, {out}")


def export_moodle(
    worksheet: Path, assignment: str, out: Path, folder: Path | None, exercises: Path | None
) -> None:
    """Fills the worksheet of one assignment."""
    request = MarksOptions(folder or Path(), exercises, names=(assignment,))
    print(fill_moodle(worksheet, _grades(open_term(request), request), out).sentence)
    print(f"Next: in Moodle, View all submissions, Upload grading worksheet, {out}")


def _grades(term: Term, request: MarksOptions) -> list[Grade]:
    return [_grade(term, mark) for mark in exported_marks(term, request)]


def _grade(term: Term, mark: Mark) -> Grade:
    """A mark that does not count yet has no points: it leaves the cell alone."""
    exercise = term.catalog.find(mark.assignment.exercise)
    comment = " ".join(explain(mark, exercise, term.course.zone, to_student=True))
    points = mark.points if mark.counts else None
    return Grade(mark.student, exercise.slug, points, state=mark.state.value, comment=comment)


# ---- on the command line ----

export = typer.Typer(no_args_is_help=True, help="For instructors: marks for a spreadsheet or an LMS.")
Class = Annotated[
    Path | None, typer.Option("--class", metavar="DIR", help="The folder of the class. Default: here.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="A new file to write.")]
Exercise = Annotated[str, typer.Option("--assignment", metavar="EXERCISE", help="Number or slug, as 03.")]


@export.command("csv")
def csv_command(out: Out = Path("marks.csv"), class_: Class = None, course: Course = None) -> None:
    """Writes a line for each student and assignment."""
    export_csv(out, class_, course)


@export.command("canvas")
def canvas_command(
    gradebook: Annotated[Path, typer.Argument(metavar="GRADEBOOK", help="What Canvas exported.")],
    assignment: Exercise,
    column: Annotated[
        str, typer.Option(metavar="TITLE", help="The assignment's title or number in Canvas. Default: ours.")
    ] = "",
    out: Out = Path("canvas.csv"),
    class_: Class = None,
    course: Course = None,
) -> None:
    """Fills one column of Canvas's gradebook, scaled to the points possible there."""
    export_canvas(gradebook, assignment, column, out, class_, course)


@export.command("moodle")
def moodle_command(
    worksheet: Annotated[
        Path, typer.Argument(metavar="WORKSHEET", help="The grading worksheet that Moodle exported.")
    ],
    assignment: Exercise,
    out: Out = Path("moodle.csv"),
    class_: Class = None,
    course: Course = None,
) -> None:
    """Fills grades, scaled to the maximum there, and explains each in its comment."""
    export_moodle(worksheet, assignment, out, class_, course)


@export.command("feedback")
def feedback_command(
    archive: Annotated[
        Path, typer.Argument(metavar="ARCHIVE", help="The submissions as Canvas or Moodle gave them out.")
    ],
    assignment: Exercise,
    roster: Annotated[
        Path | None, typer.Option("--roster", metavar="FILE", help="The roster that the import had.")
    ] = None,
    out: Out = Path("feedback.zip"),
    class_: Class = None,
    course: Course = None,
) -> None:
    """Bundles each student's mark and verdict, for the upload of feedback in Canvas or Moodle."""
    request = MarksOptions(class_ or Path(), course, names=(assignment,))
    export_feedback(archive, roster, out, request)
