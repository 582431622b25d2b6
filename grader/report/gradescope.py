"""A verdict as Gradescope's `results.json`: one test per check, with advice for the learner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from grader.course.exercise import Exercise
from grader.report.earned import earned
from grader.report.plain import check_lines
from grader.report.words import name_of, standing
from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import InfrastructureError
from grader.verdict import CheckResult, Status, Verdict

RESULTS = Path("/autograder/results/results.json")
Visibility: TypeAlias = Literal["visible", "after_due_date", "after_published", "hidden"]
_LONGEST = 20_000  # characters of output of one test


def results_json(
    verdict: Verdict, exercise: Exercise, *, points: float | None = None, visibility: Visibility = "visible",
    remarks: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """The document that Gradescope reads.

    ``points`` is what the assignment is worth there; without it, the points that the backend can judge. A
    check that nobody could judge has no score, and is no zero. ``visibility`` is that of tests and score;
    ``remarks`` are sentences about what was handed in.

    Raises InfrastructureError for a verdict that is this machine's fault, or of which nothing was judged:
    without a document Gradescope says that the autograder failed, keeps no score, and lets it be run again.
    """
    if verdict.status is Status.INFRA_ERROR:
        fault = next(check for check in verdict.checks if check.status is Status.INFRA_ERROR)
        raise InfrastructureError(
            f"{verdict.exercise} was not judged: {fault.sentence}",
            "A failure of this machine is never a zero, so no score is written.",
            "Repair it, then run the autograder again for this submission.",
        )
    found = earned(verdict, exercise)
    if not found.out_of:
        raise InfrastructureError(
            f"Nothing of {verdict.exercise} was judged: no check could give points on {verdict.backend}.",
            "An unjudged submission is never a zero, so no score is written.",
            "Run grader doctor here, or choose the other --backend, then run the autograder again.",
        )
    judged = exercise.scores_on(verdict.backend)
    total = float(sum(judged.values())) if points is None else points
    worth = total / found.out_of
    tests = [
        _test(check, worth, visibility, check.name in judged or check.name not in exercise.scores)
        for check in verdict.checks
    ]
    headline = f"{verdict.title}: {standing(verdict)}, on {verdict.backend}. Seed {verdict.seed}."
    return {
        "score": _rounded(found.points * worth),
        "execution_time": round(verdict.seconds),
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "output": _printable(" ".join([headline, *remarks]))[:_LONGEST],
        "output_format": "text",
        "tests": tests,
        "extra_data": {"versions": dict(verdict.versions), "seed": str(verdict.seed)},
    }


def write_results(document: dict[str, Any], path: Path = RESULTS) -> None:
    """Write ``document`` in one step. Raises InfrastructureError where that cannot be done."""
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
        write_atomically(path, text, PUBLIC)  # Gradescope reads it as another user
    except OSError as error:
        raise InfrastructureError(
            f"{path} cannot be written: {error.strerror}.",
            "Gradescope reads the results from there.",
            "Name another file with --results where this is not Gradescope's container.",
        ) from error


def _test(check: CheckResult, worth: float, visibility: Visibility, counts: bool) -> dict[str, Any]:
    """One check; one that does not count has no score, and neither passed nor failed."""
    counts = counts and check.status.counts
    out_of = _rounded(check.out_of * worth) if counts else 0.0
    scaled = replace(check, points=_rounded(check.points * worth), out_of=out_of)
    test: dict[str, Any] = {
        "name": name_of(check)[0].upper() + name_of(check)[1:],
        "output": _printable("\n".join(check_lines(scaled)))[:_LONGEST],
        "output_format": "text",
        "visibility": visibility,
    }
    if counts:
        test["status"] = "failed" if check.status.stands_in_the_way else "passed"
    if out_of:
        test |= {"score": scaled.points, "max_score": out_of}
    return test


def _rounded(value: float) -> float:
    return round(float(value), 4)


def _printable(text: str) -> str:
    """Without the control characters that a program may print: they are no part of what it says."""
    return "".join(each for each in text if each in "\n\t" or each.isprintable())
