"""`grader class export`: the marks of a class, in a table or in what an LMS exported."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from cusimt.support.words import counted
from grader.cli.marks_notes import not_accepted
from grader.cli.overview import shown
from grader.cli.term import MarksOptions, Term, open_term
from grader.instruct.course import Mark, read_people
from grader.instruct.course.explanation import explain
from grader.instruct.course.lateness import FULL
from grader.instruct.export import Grade, fill_canvas, fill_moodle, inert, is_worksheet, write_export
from grader.support.errors import UsageError

UPLOADS = "upload"  # in the folder of the class: what an LMS is given


def export_marks(request: MarksOptions, sheet: Path | None, column: str) -> int:
    """Fills ``sheet``, which Canvas or Moodle exported; without one it writes every mark to marks.csv."""
    term = open_term(request)
    marks = exported_marks(term, request)
    if sheet is None:
        out = term.course.folder / "marks.csv"
        write_export(out, _csv(term, marks))
        print(f"{counted(len(marks), 'mark')} in {shown(out)}.")
        print("For an LMS, name what it exported: grader class export --into FILE")
        return 0
    grades = {slug: [_grade(term, mark) for mark in marks if mark.assignment.exercise == slug]
              for slug in term.slugs(request)}  # fmt: skip
    if is_worksheet(sheet):
        _fill_moodle(term, sheet, grades)
    else:
        _fill_canvas(term, sheet, grades, column, named=bool(request.names))
    return 0


def exported_marks(term: Term, request: MarksOptions) -> list[Mark]:
    """The marks that ``request`` asks for, of whom the roster has; the others are named.

    Raises UsageError for an assignment that is none, and where a mark lacks what a person entered.
    """
    marks = term.chosen(request)
    if not read_people(term.course).students:
        print("There is no roster, students.csv: every id that handed in something counts as a student.")
    for note in not_accepted(marks):
        print(note)
    return _complete(marks)


def _complete(marks: Iterable[Mark]) -> list[Mark]:
    """Those of ``marks`` that the roster accepts. Raises UsageError where one lacks what a person entered."""
    accepted = [mark for mark in marks if mark.accepted]
    if lost := next((mark for mark in accepted if mark.astray), None):
        slug = lost.assignment.exercise
        raise UsageError(
            f"What a person entered in formgrader about {lost.astray}, {slug}, fits no hand-in by its time.",
            "A file of marks has what people entered, and never contradicts it.",
            f"Enter the right time first: nbgrader autograde {slug} --student {lost.astray}",
        )
    return accepted


def _fill_canvas(
    term: Term, gradebook: Path, grades: dict[str, list[Grade]], column: str, named: bool
) -> None:
    """``named``: every one of these assignments has to have a column; else those that have one are filled."""
    if column and len(grades) > 1:
        raise UsageError(
            "--column is the title of one assignment in Canvas.",
            f"{counted(len(grades), 'assignment')} would be written into it.",
            "Name the assignment: grader class export EXERCISE --into FILE --column TITLE",
        )
    titles = {column or term.catalog.find(slug).title: each for slug, each in grades.items()}
    out = term.course.folder / UPLOADS / "canvas.csv"
    filled = fill_canvas(gradebook, titles, out, every=named or len(titles) == 1)
    for title, each in filled.items():
        print(f"{title}: {each.sentence}")
    print(f"Next: in Canvas, Grades, Import, {shown(out)}")


def _fill_moodle(term: Term, worksheet: Path, grades: dict[str, list[Grade]]) -> None:
    if len(grades) > 1:
        raise UsageError(
            f"{worksheet} is a worksheet of Moodle, and does not say of which assignment.",
            "Moodle exports one for each.",
            f"Name the assignment: grader class export EXERCISE --into {worksheet}",
        )
    [(slug, each)] = grades.items()
    out = term.course.folder / UPLOADS / f"moodle_{slug}.csv"
    print(fill_moodle(worksheet, each, out).sentence)
    print(f"Next: in Moodle, View all submissions, Upload grading worksheet, {shown(out)}")


def _grade(term: Term, mark: Mark) -> Grade:
    """A mark that does not count yet has no points: it leaves the cell alone."""
    exercise = term.catalog.find(mark.assignment.exercise)
    comment = " ".join(explain(mark, exercise, term.course.zone, to_student=True))
    return Grade(mark.student, mark.points if mark.counts else None, comment)


def _csv(term: Term, marks: Iterable[Mark]) -> str:
    """Text cells are inert: a name or a reason that begins with = is no formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(_row(term, mark) for mark in marks):
        if not number:
            writer.writerow(row)
        writer.writerow([inert(each) if isinstance(each, str) else each for each in row.values()])
    return text.getvalue()


def _row(term: Term, mark: Mark) -> dict[str, str | float]:
    earned, attempt, released = mark.earned, mark.attempt, mark.released
    key = mark.record.key if mark.record else None
    sentences = explain(mark, term.catalog.find(mark.assignment.exercise), term.course.zone)
    return {
        "student": mark.student,
        "exercise": mark.assignment.exercise,
        "mark": mark.points if mark.counts else "",
        "weight": mark.assignment.weight,
        "state": mark.state.value,
        "percent_earned": round(FULL * earned.points / earned.out_of, 2) if earned else "",
        "earned": earned.points if earned else "",
        "out_of": earned.out_of if earned else "",
        "backend": mark.assignment.backend,
        "submitted": attempt.submitted.isoformat() if attempt and attempt.submitted else "",
        "due": mark.due.isoformat() if mark.due else "",
        "days_late": mark.charge.days,
        "days_paid": mark.charge.paid,
        "points_lost": round(mark.charge.lost, 2),
        "adjusted": sum(each.points for each in mark.adjustments),
        "group": mark.group,
        "released": released.points if released else "",
        "flagged": "yes" if mark.flagged else "",
        "exercise_version": key.exercise_version if key else "",
        "grader": key.grader if key else "",
        "record": key.name if key else "",
        "explanation": " ".join(sentences),
    }
