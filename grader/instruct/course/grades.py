"""The record that a submission is marked by, and its points that count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.course.exercise import Exercise
from grader.instruct.course.attempts import Attempt
from grader.instruct.course.policy import judged_scores
from grader.instruct.results import Record
from grader.support.backends import Backend
from grader.verdict import Verdict


@dataclass(frozen=True)
class Earned:
    """Points of a verdict that count; ``undecided`` names checks that say nothing about this submission."""

    points: float
    out_of: float
    undecided: tuple[str, ...] = ()


class Grades:
    """Records by exercise, content and backend: of several, the one that was graded last.

    Several arise when the grader or the exercise changed, or when something was graded again.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._records: dict[tuple[str, str, str], Record] = {}
        for record in records:
            place = record.key.exercise, record.key.digest, record.key.backend
            there = self._records.get(place)
            if there is None or (there.graded, there.attempt) < (record.graded, record.attempt):
                self._records[place] = record

    def find(self, attempt: Attempt, backend: Backend) -> Record | None:
        return self._records.get((attempt.exercise, attempt.digest, backend))


def earned(verdict: Verdict, exercise: Exercise) -> Earned:
    """What of ``verdict`` counts: the checks that its backend can judge, and of these what was decided.

    A check that this backend cannot judge counts for no student, even where an earlier failure hid that.
    """
    judged = judged_scores(exercise, verdict.backend)
    counting = [
        check for check in verdict.checks if check.name in judged or check.name not in exercise.scores
    ]
    decided = [check for check in counting if check.status.counts]
    return Earned(
        points=sum(check.points for check in decided),
        out_of=sum(check.out_of for check in decided),
        undecided=tuple(check.name for check in counting if not check.status.counts and check.out_of),
    )
