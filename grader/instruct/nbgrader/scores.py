"""The score of a notebook's check cell, from a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from grader.notebook.report import clamped
from grader.report.words import results_for
from grader.verdict import Verdict


@dataclass(frozen=True)
class Score:
    """``points`` are plain and within the cell's bounds; ``judged``: whether they mean anything."""

    points: float
    judged: bool
    lines: tuple[str, ...]


def score_of(verdict: Verdict, check: str, out_of: float) -> Score:
    """How ``check`` ended, scaled to ``out_of`` points; parts are taken together.

    What nobody could judge is neither a zero nor a pass: a person has to look.
    """
    results = results_for(verdict, check)
    if not results:
        return Score(0.0, False, (f"The verdict says nothing about {check}.",))
    possible = sum(each.out_of for each in results)
    earned = sum(each.points for each in results)
    share = earned / possible if possible else 0.0
    several = len(results) > 1
    lines = tuple(f"{each.name}: {each.sentence}" if several else each.sentence for each in results)
    return Score(clamped(share * out_of, out_of), all(each.status.counts for each in results), lines)
