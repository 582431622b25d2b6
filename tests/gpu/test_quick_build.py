"""What a loop of edits builds, judged as what counts is: one verdict from both builds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.checks import grade
from grader.course.catalog import Exercise
from grader.course.mutants import Mutant
from tests.exercises.conftest import EXERCISES, MUTANTS

SEED = 20261123
# Of each exercise the first mistake that a GPU shows in what a kernel computes.
WRONG = {
    mutant.exercise.slug: mutant
    for mutant in reversed(MUTANTS)
    if "cuda" in mutant.backends and mutant.caught_by in ("correctness", "gradient") and mutant.devices == 1
}


def verdicts(exercise: Exercise, files: Path) -> list[list[tuple[str, str, str]]]:
    """The results of both builds, without those of the clock."""
    both = [grade(exercise, files, backend="cuda", seed=SEED, quick=quick) for quick in (True, False)]
    return [
        [
            (check.name, check.status.value, check.topic)
            for check in verdict.checks
            if check.name != "performance"
        ]
        for verdict in both
    ]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_both_builds_of_a_solution_pass(exercise: Exercise, tmp_path: Path) -> None:
    files = Path(shutil.copytree(exercise.solution_dir, tmp_path / exercise.slug))
    quick, of_record = verdicts(exercise, files)
    assert quick == of_record
    assert all(status in ("pass", "unavailable") for _, status, _ in quick)


@pytest.mark.parametrize("mutant", WRONG.values(), ids=WRONG)
def test_both_builds_of_a_mistake_fail_alike(mutant: Mutant, tmp_path: Path) -> None:
    mutant.write(tmp_path)
    quick, of_record = verdicts(mutant.exercise, tmp_path)
    assert quick == of_record
    assert any(status not in ("pass", "unavailable") for _, status, _ in quick)
