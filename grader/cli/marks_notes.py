"""Notes below `grader class marks`: what needs a person, what makes marks hard to compare,
and lines without effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cusimt.support.words import counted, listed, noun
from grader.instruct.course import Course, Mark, People
from grader.instruct.results import Key, Record

_NAMED = 10  # at most, of those whom a line is about


def notes(everybody: Sequence[Mark], shown: Sequence[Mark], people: People, course: Course) -> list[str]:
    """Sentences about ``shown``, some marks of ``everybody``, and about lines of tables without effect."""
    older = of_another_version(everybody)
    return [
        *_to_review(shown),
        *_versions(shown, older),
        *not_accepted(shown),
        *astray(shown),
        *_strangers(everybody, people),
        *_idle(people, course),
    ]


def not_accepted(marks: Iterable[Mark]) -> Iterator[str]:
    """Whose marks stay out of every file and release, and how to let them in."""
    ids = sorted({mark.student for mark in marks if not mark.accepted})
    if ids:
        yield (
            f"In no roster: {_named(ids)}. Their marks are neither exported nor released. "
            "To accept an id, add a line for it to students.csv."
        )


def astray(shown: Iterable[Mark]) -> Iterator[str]:
    """Which marks lack what a person entered, and how to put that right."""
    for slug, student in dict.fromkeys((mark.assignment.exercise, mark.astray) for mark in shown):
        if student:
            yield (
                f"{slug}: what a person entered in formgrader about {student} fits no hand-in by its "
                f"time. Run: nbgrader autograde {slug} --student {student}"
            )


def _to_review(shown: Sequence[Mark]) -> Iterator[str]:
    students: dict[str, list[str]] = {}
    for mark in shown:
        if mark.record is not None and mark.record.verdict.to_review:
            students.setdefault(mark.assignment.exercise, []).append(mark.student)
    for slug, names in sorted(students.items()):
        yield (
            f"{slug}: {counted(len(names), 'submission')} to look at, with results that are not their "
            f"kernels' work: {_named(names)}. See: grader class marks {slug[:2]} --student {names[0]}"
        )


def _versions(shown: Sequence[Mark], older: Sequence[Mark]) -> Iterator[str]:
    places = {(mark.student, mark.assignment.exercise) for mark in shown}
    students: dict[str, list[str]] = {}
    for mark in older:
        if (mark.student, mark.assignment.exercise) in places:
            students.setdefault(mark.assignment.exercise, []).append(mark.student)
    for slug, names in sorted(students.items()):
        yield (
            f"{slug}: {counted(len(names), 'mark')} {noun(len(names) == 1, 'comes', 'come')} from another "
            f"version of the exercise or grader than the newest verdict: {_named(names)}."
        )
    if students:
        yield "What is in the folder is graded again by: grader class grade"


def _strangers(everybody: Sequence[Mark], people: People) -> Iterator[str]:
    unknown = sorted(people.mentioned - {mark.student for mark in everybody})
    if unknown:
        yield (
            f"No one in this class is called {_named(unknown)}: what a table says about them has no effect."
        )


def _idle(people: People, course: Course) -> Iterator[str]:
    for each in people.without_effect(course):
        yield (
            f"The extension of {each.student} for {each.exercise} until {each.until} is after no deadline: "
            "correct its `until` in extensions.csv, or take the line out."
        )


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return listed([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def of_another_version(marks: Iterable[Mark]) -> list[Mark]:
    """Those of ``marks`` of the whole class that come from another version than their assignment's newest.

    A version is the exercise's and the grader's, and the newest that of the record that was graded last.
    """
    judged = [(mark, mark.record) for mark in marks if mark.record is not None]
    newest: dict[str, Record] = {}
    for mark, record in judged:
        there = newest.setdefault(mark.assignment.exercise, record)
        if there.graded < record.graded:
            newest[mark.assignment.exercise] = record
    return [mark for mark, found in judged if _version(found.key) != _version(newest[found.key.exercise].key)]


def _version(key: Key) -> tuple[str, str]:
    return key.exercise_version, key.grader
