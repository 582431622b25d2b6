"""The marks that may leave the class in a file, whatever kind of file it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from grader.cli.marks_notes import not_accepted
from grader.instruct.course import Mark, read_people
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from grader.cli.marks import MarksOptions, Term


def exported_marks(term: Term, request: MarksOptions) -> list[Mark]:
    """The marks that ``request`` asks for, of whom the roster has; the others are named.

    Raises UsageError for an assignment that is none, and where a mark lacks what a person entered.
    """
    marks = term.chosen(request)
    if not read_people(term.course).students:
        print("There is no roster, students.csv: every id that handed in something counts as a student.")
    for note in not_accepted(marks):
        print(note)
    return complete(marks)


def complete(marks: Iterable[Mark]) -> list[Mark]:
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
