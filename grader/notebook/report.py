"""A verdict as a notebook object: it displays itself, and its points are plain numbers."""

from __future__ import annotations

import math
from pathlib import Path

from cusimt.support.words import listed
from grader.report import verdict_text
from grader.report.files import write_report
from grader.report.html import verdict_html
from grader.report.words import results_for
from grader.support.errors import InfrastructureError, UsageError
from grader.verdict import CheckResult, Status, Verdict


class Report:
    """What `grade` found out. As the last line of a cell it shows the verdict with its pictures."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    @property
    def passed(self) -> bool:
        return self.verdict.passed

    def points(self, check: str | None = None, out_of: float | None = None) -> float:
        """The points of one check, or of the whole without ``check``: a finite float, at least 0.

        They are those of exercise.toml; with ``out_of``, the same share of that many. What this machine
        cannot judge has 0 points here, and no share in the whole. Prints why the check was not passed.

        Raises:
            UsageError: this verdict has no such check.
            InfrastructureError: this machine failed; 0 points would be a judgement on the submission.
        """
        results = self._results(check)
        for each in results:
            if each.status is Status.INFRA_ERROR:
                raise _not_judged(each)
            if check is not None and each.status is not Status.PASS:
                print(f"{each.name}: {each.sentence}")
        counted = [each for each in results if each.status.counts]
        earned, most = sum(each.points for each in counted), sum(each.out_of for each in counted)
        if out_of is None:
            return clamped(earned, most)
        return clamped(earned / most * out_of if most else 0.0, out_of)

    def save(self, path: str | Path | None = None) -> Path:
        """Write the verdict as JSON, by default to ``SLUG.verdict.json`` here, and say what to do with it.

        Raises UsageError where it cannot be written.
        """
        place = Path(path) if path is not None else Path(f"{self.verdict.exercise}.verdict.json")
        write_report(place, self.verdict.to_json())
        print(f"Saved. On the machine with your own course, run: grader import-verdict {place.name}")
        return place

    def __repr__(self) -> str:
        return verdict_text(self.verdict)

    def _repr_html_(self) -> str:
        return verdict_html(self.verdict)

    def _results(self, check: str | None) -> list[CheckResult]:
        if check is None:
            return list(self.verdict.checks)
        if found := results_for(self.verdict, check):
            return found
        names = [each.name for each in self.verdict.checks]
        raise UsageError(
            f"The verdict on {self.verdict.exercise} has no check {check!r}.",
            f"It has {listed(names)}.",
            f"Name one of these: report.points({names[-1]!r})",
        )


def _not_judged(check: CheckResult) -> InfrastructureError:
    return InfrastructureError(
        check.sentence,
        "Your code is not at fault, and no points depend on it.",
        "Run grader doctor, then grade again.",
    )


def clamped(points: float, most: float) -> float:
    """A plain float from 0 to ``most``.

    nbgrader takes what is negative, no number, or no plain number in a cell's output for full credit.
    """
    value = float(points)
    return round(min(max(value, 0.0), float(most)), 4) if math.isfinite(value) else 0.0
