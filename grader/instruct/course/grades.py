"""The record that a submission is marked by, and its points that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.course.exercise import Exercise
from grader.instruct.course.attempts import Attempt
from grader.instruct.course.gradebook import NOTHING, HandScore
from grader.instruct.course.policy import judged_scores
from grader.instruct.results import Record
from grader.report.words import results_for
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


def earned(verdict: Verdict, exercise: Exercise, by_hand: HandScore = NOTHING) -> Earned:
    """What of ``verdict`` counts: the checks that its backend can judge, and of these what was decided.

    A check that this backend cannot judge counts for no student, even where an earlier failure hid that.
    What a person entered in formgrader takes the place of a check's points, or is added.
    """
    judged = judged_scores(exercise, verdict.backend)
    changed = [check for name in by_hand.checks for check in results_for(verdict, name)]
    counting = [
        check
        for check in verdict.checks
        if check not in changed and (check.name in judged or check.name not in exercise.scores)
    ]
    decided = [check for check in counting if check.status.counts]
    added = _added(by_hand)
    return Earned(
        points=sum(check.points for check in decided) + added.points,
        out_of=sum(check.out_of for check in decided) + added.out_of,
        undecided=tuple(check.name for check in counting if not check.status.counts and check.out_of),
    )


def earned_by_hand(exercise: Exercise, backend: Backend, by_hand: HandScore) -> Earned | None:
    """What counts where there is no verdict and a person marked every check that ``backend`` can judge."""
    if judged_scores(exercise, backend).keys() - by_hand.checks.keys():
        return None
    return _added(by_hand)


def _added(by_hand: HandScore) -> Earned:
    entered: Mapping[str, tuple[float, float]] = {**by_hand.checks, "further questions": by_hand.further}
    points, out_of = map(sum, zip(*entered.values(), strict=True))
    return Earned(points + by_hand.extra, out_of)
