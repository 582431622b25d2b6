"""`grader class marks`: a table of the class, or every mark explained."""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.support.words import counted, noun
from grader.cli.marks_notes import notes
from grader.cli.term import MarksOptions, Term, open_term
from grader.instruct.course import Mark, State, Total, marks_in, read_people, totals
from grader.instruct.course.explanation import amount, explain

_LEGEND = {
    "·": "still open",
    "?": "handed in, not judged yet",
    "*": "nothing was handed in",
    "†": "is in no roster, and in no export",
    "!": "would be lower than the released mark, which is kept",
}


def show_marks(request: MarksOptions) -> int:
    """Prints what was asked for, then what a person has to know of it."""
    term = open_term(request)
    everybody = marks_in(term.course, term.catalog)
    marks = term.select(everybody, request)
    if request.students:
        _explain(term, marks)
    else:
        show_table(term, marks)
    for note in notes(everybody, marks, read_people(term.course), term.course):
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


def show_table(term: Term, marks: Sequence[Mark]) -> None:
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
    print("\n".join(_lines([header, *rows])))
    shown = "".join(cell for row in rows for cell in row)
    for sign, meaning in _LEGEND.items():
        if sign in shown:
            print(f"{sign}  {meaning}")
    flagged = sum(mark.flagged for mark in marks)
    if flagged:
        print(f"{counted(flagged, 'mark')} {noun(flagged == 1, 'is', 'are')} flagged.")
    print("How a mark came about: grader class marks --student ID")


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
