"""Every planted mistake is caught by the check that mutants.toml names: the test of the grader."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.author.proof import uncaught
from grader.author.solution_rules import LEAST_MUTANTS
from grader.catalog import Exercise
from grader.checks import grade
from grader.mutants import Mutant, load_mutants

from .conftest import EXERCISES, MUTANTS, SEED

ON_SIMT = [mutant for mutant in MUTANTS if "simt" in mutant.backends]


@pytest.mark.parametrize("mutant", ON_SIMT, ids=lambda each: f"{each.exercise.slug}: {each.name}")
def test_the_mistake_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    mutant.write(tmp_path)

    verdict = grade(mutant.exercise, tmp_path, backend="simt", seed=SEED, until=mutant.caught_by)

    said = "\n".join(f"{check.name} {check.status}: {check.sentence}" for check in verdict.checks)
    assert uncaught(mutant, verdict) == "", said


SMALL = ("00", "01", "02", "03", "06", "90")  # every other exercise has more to get wrong


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_there_are_enough_mistakes(exercise: Exercise) -> None:
    least = LEAST_MUTANTS if exercise.slug.startswith(SMALL) else 10
    assert len(load_mutants(exercise)) >= least


def test_the_demo_shows_three_mistakes_whose_answers_are_right() -> None:
    assert [mutant.finding for mutant in MUTANTS if mutant.demo] == [
        "out_of_bounds",
        "launch_stream",
        "race_shared",
    ]
