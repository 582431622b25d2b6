"""The points of a verdict that count."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from grader.course.exercise import Exercise
from grader.verdict import CheckResult, Verdict


@dataclass(frozen=True)
class Earned:
    """Points of a verdict that count; ``undecided`` names checks that say nothing about this submission."""

    points: float
    out_of: float
    undecided: tuple[str, ...] = ()


def earned(verdict: Verdict, exercise: Exercise, without: Collection[CheckResult] = ()) -> Earned:
    """What of ``verdict`` counts: the checks that its backend can judge, and of these what was decided.

    A check that this backend cannot judge counts for no student, even where an earlier failure hid that.
    ``without`` are results that something else takes the place of.
    """
    judged = exercise.scores_on(verdict.backend)
    counting = [
        check
        for check in verdict.checks
        if check not in without and (check.name in judged or check.name not in exercise.scores)
    ]
    decided = [check for check in counting if check.status.counts]
    return Earned(
        points=sum(check.points for check in decided),
        out_of=sum(check.out_of for check in decided),
        undecided=tuple(check.name for check in counting if not check.status.counts and check.out_of),
    )
