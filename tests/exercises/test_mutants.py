"""Every planted mistake is caught by the check that mutants.toml names: the test of the grader."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import Exercise
from grader.checks import grade
from grader.mutants import Mutant, load_mutants
from grader.spec import load_spec
from grader.verdict import Status

from .conftest import EXERCISES, MUTANTS, SEED

ON_SIMT = [mutant for mutant in MUTANTS if "simt" in mutant.backends]


@pytest.mark.parametrize("mutant", ON_SIMT, ids=lambda each: f"{each.exercise.slug}: {each.name}")
def test_the_mistake_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    mutant.write(tmp_path)

    verdict = grade(mutant.exercise, tmp_path, backend="simt", seed=SEED)

    results = {check.name: check for check in verdict.checks}
    catcher = results[mutant.caught_by]
    said = "\n".join(f"{check.name} {check.status}: {check.sentence}" for check in verdict.checks)
    assert not verdict.passed
    assert catcher.status.stands_in_the_way, said
    assert catcher.status is not Status.INFRA_ERROR, said
    if mutant.finding:
        assert mutant.finding in {finding.kind for finding in catcher.findings}, said
    if mutant.demo:
        assert results["correctness"].status is Status.PASS, said


SIX_ARE_ENOUGH = ("00", "01", "02", "03", "06", "90")  # small ones; every other exercise has ten at least


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_there_are_enough_mistakes_forward_and_backward(exercise: Exercise) -> None:
    mutants = load_mutants(exercise)
    assert len(mutants) >= (6 if exercise.slug.startswith(SIX_ARE_ENOUGH) else 10)
    if load_spec(exercise).gradient is not None:
        assert {mutant.caught_by for mutant in mutants} >= {"correctness", "gradient"}


def test_the_demo_shows_three_mistakes_whose_answers_are_right() -> None:
    assert [mutant.finding for mutant in MUTANTS if mutant.demo] == [
        "out_of_bounds",
        "launch_stream",
        "race_shared",
    ]
