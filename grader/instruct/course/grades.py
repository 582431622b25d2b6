"""The record that a submission is marked by, and its points that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.course.exercise import Exercise
from grader.instruct.course.attempts import Attempt
from grader.instruct.course.gradebook import HandScore
from grader.instruct.results import Record
from grader.report.earned import Earned, earned
from grader.report.words import results_for
from grader.support.backends import Backend
from grader.verdict import Verdict


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


def earned_with(by_hand: HandScore, verdict: Verdict, exercise: Exercise) -> Earned:
    """What of ``verdict`` counts, with what a person entered in formgrader: it takes the place of a check's
    points, or is added.
    """
    changed = [check for name in by_hand.checks for check in results_for(verdict, name)]
    own, added = earned(verdict, exercise, without=changed), _added(by_hand)
    return Earned(own.points + added.points, own.out_of + added.out_of, own.undecided)


def earned_by_hand(exercise: Exercise, backend: Backend, by_hand: HandScore) -> Earned | None:
    """What counts where there is no verdict and a person marked every check that ``backend`` can judge."""
    if exercise.scores_on(backend).keys() - by_hand.checks.keys():
        return None
    return _added(by_hand)


def _added(by_hand: HandScore) -> Earned:
    entered: Mapping[str, tuple[float, float]] = {**by_hand.checks, "further questions": by_hand.further}
    points, out_of = map(sum, zip(*entered.values(), strict=True))
    return Earned(points + by_hand.extra, out_of)
