"""What a check cell of a notebook is worth, by a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.registry import CHECKS
from grader.verdict import CheckResult, Verdict

_NO_PARTS = {"todo", "build", "changes", *CHECKS} - {"parts"}


@dataclass(frozen=True)
class Score:
    """``points`` of the cell's own, plain and within its bounds; ``judged``: whether they mean anything."""

    points: float
    judged: bool
    lines: tuple[str, ...]


def score_of(verdict: Verdict, check: str, out_of: float) -> Score:
    """How ``check`` ended, scaled to ``out_of`` points; parts are taken together.

    What nobody could judge is neither a zero nor a pass: a person has to look.
    """
    results = results_of(verdict, check)
    if not results:
        return Score(0.0, False, (f"The verdict says nothing about {check}.",))
    possible = sum(each.out_of for each in results)
    earned = sum(each.points for each in results)
    share = earned / possible if possible else 0.0
    several = len(results) > 1
    lines = tuple(f"{each.name}: {each.sentence}" if several else each.sentence for each in results)
    return Score(plain(share * out_of, out_of), all(each.status.counts for each in results), lines)


def results_of(verdict: Verdict, check: str) -> list[CheckResult]:
    """The results that belong to ``check`` of the scores: one, or with ``parts`` one for each part."""
    if check == "parts":
        return [each for each in verdict.checks if each.name not in _NO_PARTS]
    return [each for each in verdict.checks if each.name == check]


def plain(points: float, out_of: float) -> float:
    """A finite float from 0 to ``out_of``. NaN is 0.

    nbgrader takes an output that it cannot read as a number from 0 for full credit, and fails on one that
    is too large.
    """
    bounded = min(float(points), float(out_of)) if points >= 0 else 0.0
    return round(bounded, 6) if bounded < out_of else float(out_of)
