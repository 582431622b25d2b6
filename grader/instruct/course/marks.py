"""Marks: from submissions and records to each student's mark of each assignment, with its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from grader.course.catalog import Catalog, Exercise
from grader.instruct.course.attempts import Attempt, latest_first
from grader.instruct.course.gradebook import NOTHING, HandScore
from grader.instruct.course.grades import Grades, earned_by_hand, earned_with
from grader.instruct.course.hand_scores import HandScores
from grader.instruct.course.lateness import FULL, IN_TIME, Charge, charge, days_late
from grader.instruct.course.policy import Assignment, Course
from grader.instruct.course.release_log import Released, ReleasedMarks
from grader.instruct.course.student_tables import Adjustment, People
from grader.instruct.results import Record
from grader.report.earned import Earned

_DIGITS = 2  # of a mark
_SAME = 0.5 * 10**-_DIGITS


class State(StrEnum):
    """What there is to say about a student and an assignment."""

    MARKED = "marked"
    MISSING = "not handed in"  # and it is due: no points
    OPEN = "still open"
    WAITING = "not judged yet"  # submitted, and could not be judged: never a zero


@dataclass(frozen=True)
class Mark:
    """``points`` of 100 is what counts. ``found`` is what would count if nothing had been released.

    ``attempt`` is the hand-in that it comes from, maybe of another member of the group; ``due`` is the
    student's own deadline, ``extension`` why it is not everybody's; ``others`` are further hand-ins.
    ``accepted``: whether the roster has the student, without which the mark leaves in no file.
    ``by_hand`` is what a person entered about it in formgrader; ``unread`` says that it has answers which no
    person can have marked, since nbgrader lacks them. ``astray`` names the student, maybe another member of
    the group, of whom a person marked something that is no hand-in by its time.
    """

    student: str
    assignment: Assignment
    state: State
    points: float = 0.0
    found: float = 0.0
    attempt: Attempt | None = None
    record: Record | None = None
    earned: Earned | None = None
    charge: Charge = IN_TIME
    due: datetime | None = None
    extension: str = ""
    group: str = ""
    others: int = 0
    by_hand: HandScore = NOTHING
    unread: bool = False
    astray: str = ""
    adjustments: tuple[Adjustment, ...] = ()
    released: Released | None = None
    accepted: bool = True

    @property
    def raw(self) -> float:
        """Points of 100 before anything is taken off; 100 where they are not known yet."""
        return FULL if self.earned is None else FULL * self.earned.points / self.earned.out_of

    @property
    def worth(self) -> tuple[bool, float, int]:
        """The more the better: points, then late days that stay in the budget."""
        return self.earned is not None, round(self.raw - self.charge.lost, 6), -self.charge.paid

    @property
    def counts(self) -> bool:
        """Whether it is part of the total: what is settled, or was told to the student."""
        return self.settled or self.released is not None

    @property
    def settled(self) -> bool:
        """Whether there is a verdict or a deadline that it follows from."""
        return self.state in (State.MARKED, State.MISSING)

    @property
    def flagged(self) -> bool:
        """Whether a mark that was released would be lower now; it stays until an instructor accepts that."""
        return self.settled and self.released is not None and self.found < self.released.points - _SAME

    @property
    def risen(self) -> bool:
        """Whether the mark is better than what was released."""
        return self.released is not None and self.points > self.released.points + _SAME


@dataclass
class Marking:
    """One pass over a class, in the order of the deadlines, since late days are spent in that order."""

    course: Course
    catalog: Catalog
    people: People
    attempts: Sequence[Attempt]
    grades: Grades
    released: ReleasedMarks
    now: datetime
    by_hand: HandScores = field(default_factory=lambda: HandScores({}, {}))

    def __post_init__(self) -> None:
        handed_in = {attempt.student for attempt in self.attempts}
        grouped = {student for student, _ in self.people.groups}
        self.students = sorted(handed_in | grouped | self.people.students.keys())
        self._budget: dict[str, int] = {}
        self._handed_in: dict[tuple[str, str], list[Attempt]] = {}
        for attempt in self.attempts:
            self._handed_in.setdefault((attempt.student, attempt.exercise), []).append(attempt)

    def marks(self) -> list[Mark]:
        """A mark for each student and assignment, by student, then in the order of ``course.toml``."""
        self._budget = dict.fromkeys(self.students, self.course.late_days)
        exercises = {exercise.slug: exercise for exercise in self.course.exercises(self.catalog)}
        order = list(self.course.assignments)
        by_deadline = sorted(self.course.assignments.values(), key=lambda each: _due_order(each, order))
        found: list[Mark] = []
        for assignment in by_deadline:
            for unit in self.people.together(assignment.exercise, self.students):
                found += self._mark_unit(assignment, exercises[assignment.exercise], unit)
        return sorted(found, key=lambda mark: (mark.student, order.index(mark.assignment.exercise)))

    def _mark_unit(self, assignment: Assignment, exercise: Exercise, unit: list[str]) -> list[Mark]:
        pool = [each for student in unit for each in self._handed_in.get((student, exercise.slug), ())]
        judged = [self._judged(assignment, exercise, attempt) for attempt in latest_first(pool)]
        astray = next((student for student in unit if self._is_astray(student, exercise.slug)), "")
        marks = []
        for student in unit:
            mark = replace(self._blank(assignment, student), astray=astray)
            candidates = [self._charged(replace(mark, others=len(pool) - 1, **each)) for each in judged]
            mark = _choose(assignment.takes, candidates) or mark
            self._budget[student] -= mark.charge.paid
            marks.append(_final(mark, self.released.find(student, assignment.exercise)))
        return marks

    def _blank(self, assignment: Assignment, student: str) -> Mark:
        """The mark of a student who handed in nothing."""
        exercise = assignment.exercise
        due, reason = self.people.due(student, exercise, assignment.due)
        return Mark(
            student,
            assignment,
            State.MISSING if due is not None and due < self.now else State.OPEN,
            due=due,
            extension=reason,
            group=self.people.group(student, exercise),
            accepted=self.people.accepts(student),
            adjustments=self.people.adjustments.get((student, exercise), ()),
        )

    def _is_astray(self, student: str, exercise: str) -> bool:
        return self.by_hand.astray(student, exercise, self._handed_in.get((student, exercise), ()))

    def _judged(self, assignment: Assignment, exercise: Exercise, attempt: Attempt) -> dict[str, Any]:
        """What a mark has of one hand-in, whoever of a group it is for."""
        record = self.grades.find(attempt, assignment.backend)
        by_hand = self.by_hand.find(attempt)
        if record is not None:
            counted: Earned | None = earned_with(by_hand, record.verdict, exercise)
        else:
            counted = earned_by_hand(exercise, assignment.backend, by_hand)
        unread = self.by_hand.unread(attempt)
        if by_hand.waiting or unread or (counted is not None and not counted.out_of):
            counted = None
        return {
            "attempt": attempt, "record": record, "earned": counted, "by_hand": by_hand, "unread": unread
        }  # fmt: skip

    def _charged(self, mark: Mark) -> Mark:
        """The mark if this hand-in counts, which need not be the student's own."""
        assert mark.attempt is not None
        late = mark.assignment.late
        days = days_late(mark.attempt.submitted, mark.due, late.grace)
        charged = charge(late, days, self._budget[mark.student], mark.raw)
        judged = mark.earned is not None or charged.refused  # of what is not accepted nothing has to be known
        return replace(
            mark,
            charge=charged,
            state=State.MARKED if judged else State.WAITING,
            found=mark.raw - charged.lost if judged else 0.0,
        )


def _due_order(assignment: Assignment, order: list[str]) -> tuple[float, int]:
    due = assignment.due.timestamp() if assignment.due else float("inf")
    return due, order.index(assignment.exercise)


def _choose(takes: str, candidates: list[Mark]) -> Mark | None:
    """The hand-in that counts; ``candidates`` come latest first. What is not accepted counts only alone."""
    accepted = [each for each in candidates if not each.charge.refused] or candidates[:1]
    if takes == "last" or not accepted:
        return next(iter(accepted), None)
    return max(reversed(accepted), key=lambda each: each.worth)  # of equals the first that was handed in


def _final(mark: Mark, released: Released | None) -> Mark:
    """With what a person added, within 0 and 100, and never below what was released."""
    if mark.state in (State.WAITING, State.OPEN):
        kept = released.points if released else 0.0
        return replace(mark, points=kept, found=kept, released=released)
    added = sum(each.points for each in mark.adjustments)
    found = round(min(FULL, max(0.0, mark.found + added)), _DIGITS)
    points = max(found, released.points) if released else found
    return replace(mark, found=found, points=points, released=released)


@dataclass(frozen=True)
class Total:
    """``percent`` of what counts so far, by weight; None while nothing does. ``settled`` of ``weight``."""

    student: str
    percent: float | None
    settled: float
    weight: float


def totals(marks: Iterable[Mark]) -> list[Total]:
    """One for each student, in the order of the marks."""
    by_student: dict[str, list[Mark]] = {}
    for mark in marks:
        by_student.setdefault(mark.student, []).append(mark)
    found = []
    for student, own in by_student.items():
        settled = sum(mark.assignment.weight for mark in own if mark.counts)
        points = sum(mark.assignment.weight * mark.points for mark in own if mark.counts)
        weight = sum(mark.assignment.weight for mark in own)
        found.append(Total(student, round(points / settled, _DIGITS) if settled else None, settled, weight))
    return found
