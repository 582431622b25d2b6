"""`grader marks`: a table of the class, every mark explained, or a CSV file."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.words import counted, noun
from grader.cli.exported_marks import complete
from grader.cli.marks_notes import notes
from grader.course.catalog import Catalog
from grader.instruct.course import Course, Mark, State, Total, marks_in, read_course, read_people, totals
from grader.instruct.course.explanation import amount, explain
from grader.instruct.course.lateness import FULL
from grader.instruct.export.sheet import inert, write_new
from grader.support.errors import UsageError

_COLUMNS = (
    "student", "exercise", "mark", "weight", "state", "percent_earned", "earned", "out_of", "backend",
    "submitted", "due", "days_late", "days_paid", "points_lost", "adjusted", "group", "released", "flagged",
    "exercise_version", "grader", "record", "explanation",
)  # fmt: skip
_LEGEND = {
    "·": "still open",
    "?": "handed in, not judged yet",
    "*": "nothing was handed in",
    "†": "is in no roster, and in no export",
    "!": "would be lower than the released mark, which is kept",
}


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
                    "See all of them with: grader marks",
                )
        wanted = set(request.students) or known
        return [mark for mark in marks if mark.student in wanted and mark.assignment.exercise in slugs]

    def slugs(self, request: MarksOptions) -> list[str]:
        """The assignments that were asked for, in the order of course.toml."""
        named = {self.catalog.find(name).slug for name in request.names}
        if strange := named - self.course.assignments.keys():
            raise UsageError(
                f"{min(strange)} is no assignment of this course.",
                f"{self.course.file} names those that are.",
                f"Add [assignments.{min(strange)}] there, or name another.",
            )
        return [slug for slug in self.course.assignments if not named or slug in named]


def open_term(request: MarksOptions) -> Term:
    """The class of ``--class``, with the exercises of ``--course``, of its own folder, or around here."""
    course = read_course(request.folder)
    own = course.folder if (course.folder / "exercises").is_dir() else None
    return Term(course, Catalog.open(request.exercises or own))


def show_marks(request: MarksOptions, csv_file: Path | None) -> int:
    """Prints what was asked for, and writes ``csv_file`` where one is named.

    Raises UsageError where a mark that would be written lacks what a person entered.
    """
    term = open_term(request)
    everybody = marks_in(term.course, term.catalog)
    marks = term.select(everybody, request)
    if csv_file is not None:
        accepted = complete(marks)
        write_new(csv_file, _csv(term, accepted))
        print(f"{counted(len(accepted), 'mark')} written to {csv_file}.")
    elif request.students:
        _explain(term, marks)
    else:
        show_table(term, marks, plain=request.plain or not sys.stdout.isatty())
    for note in notes(everybody, marks, read_people(term.course)):
        print(note)
    return 0


def _explain(term: Term, marks: Sequence[Mark]) -> None:
    for mark in marks:
        print(f"{mark.student}, {mark.assignment.exercise}: {_cell(mark)}")
        for sentence in explain(mark, term.catalog.find(mark.assignment.exercise), term.course.zone):
            print(f"  {sentence}")
    for total in totals(marks):
        print(_total_sentence(total))


def _total_sentence(total: Total) -> str:
    if total.percent is None:
        return f"{total.student}: nothing counts yet."
    rest = f", from {amount(total.settled)} of {amount(total.weight)} by weight"
    return f"{total.student}: {amount(total.percent)} of 100{rest if total.settled < total.weight else ''}."


def show_table(term: Term, marks: Sequence[Mark], plain: bool) -> None:
    """A line for each student, and what the signs in it mean."""
    slugs = [slug for slug in term.course.assignments if any(m.assignment.exercise == slug for m in marks)]
    header = ["student", *(slug[:2] for slug in slugs), "total"]
    cells = {(mark.student, mark.assignment.exercise): _cell(mark) for mark in marks}
    known = {mark.student for mark in marks if mark.accepted}
    rows = [
        [
            total.student if total.student in known else f"{total.student}†",
            *(cells[total.student, slug] for slug in slugs),
            _percent(total),
        ]
        for total in totals(marks)
    ]
    if plain:
        print("\n".join(_lines([header, *rows])))
    else:
        _rich_table(term.course.title, header, rows)
    shown = "".join(cell for row in rows for cell in row)
    for sign, meaning in _LEGEND.items():
        if sign in shown:
            print(f"{sign}  {meaning}")
    flagged = sum(mark.flagged for mark in marks)
    if flagged:
        print(f"{counted(flagged, 'mark')} {noun(flagged == 1, 'is', 'are')} flagged.")
    print("How a mark came about: grader marks --student ID")


def _rich_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title))
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="right" if place else "left")
    for row in rows:
        table.add_row(*(Text(cell, "bold red" if cell.endswith("!") else "") for cell in row))
    Console(highlight=False).print(table)


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _cell(mark: Mark) -> str:
    if not mark.counts:
        return "?" if mark.state is State.WAITING else "·"
    points = amount(mark.points)
    if mark.flagged:
        return points + "!"
    return points + {State.MISSING: "*", State.WAITING: "?"}.get(mark.state, "")


def _percent(total: Total) -> str:
    return "·" if total.percent is None else amount(total.percent)


def _csv(term: Term, marks: Iterable[Mark]) -> str:
    """Text cells are inert: a name or a reason that begins with = is no formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for mark in marks:
        writer.writerow([inert(each) if isinstance(each, str) else each for each in _row(term, mark)])
    return text.getvalue()


def _row(term: Term, mark: Mark) -> list[str | float]:
    earned, attempt, released = mark.earned, mark.attempt, mark.released
    key = mark.record.key if mark.record else None
    sentences = explain(mark, term.catalog.find(mark.assignment.exercise), term.course.zone)
    return [
        mark.student,
        mark.assignment.exercise,
        mark.points if mark.counts else "",
        mark.assignment.weight,
        mark.state.value,
        round(FULL * earned.points / earned.out_of, 2) if earned else "",
        earned.points if earned else "",
        earned.out_of if earned else "",
        mark.assignment.backend,
        attempt.submitted.isoformat() if attempt and attempt.submitted else "",
        mark.due.isoformat() if mark.due else "",
        mark.charge.days,
        mark.charge.paid,
        round(mark.charge.lost, 2),
        sum(each.points for each in mark.adjustments),
        mark.group,
        released.points if released else "",
        "yes" if mark.flagged else "",
        *((key.exercise_version, key.grader, key.name) if key else ("", "", "")),
        " ".join(sentences),
    ]
