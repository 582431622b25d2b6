"""Every planted mistake is caught by the check that mutants.toml names: the test of the grader.

The mistakes of one exercise are graded on one desk, where the solution is graded, too: what they leave
unchanged is compiled once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.author.proof import uncaught
from grader.author.solution_rules import LEAST_MUTANTS
from grader.checks import grade
from grader.checks.registry import CHECKS
from grader.cli.hint_section import sections_of
from grader.course.catalog import Exercise
from grader.course.mutants import Mutant, load_mutants
from grader.run import Zygote
from tests.desks import desk, together

from .conftest import EXERCISES, MUTANTS, SEED

SHARED_CHECKS = {"build", *CHECKS}  # the others are the names of exercises' functions
ON_SIMT = [mutant for mutant in MUTANTS if "simt" in mutant.backends]


@pytest.fixture
def files(mutant: Mutant) -> Iterator[Path]:
    """The files with the mistake."""
    with desk(mutant.exercise) as folder:
        mutant.write(folder)
        yield folder


def parameters(mutant: Mutant) -> Any:
    name = f"{mutant.exercise.slug}: {mutant.name}"
    caught_by = mutant.caught_by if mutant.caught_by in SHARED_CHECKS else "a part of one exercise"
    return pytest.param(mutant, id=name, marks=[together(mutant.exercise), pytest.mark.variety(caught_by)])


@pytest.mark.slow("compiles and grades a submission")
@pytest.mark.parametrize("mutant", [parameters(mutant) for mutant in ON_SIMT])
def test_the_mistake_is_caught(mutant: Mutant, files: Path, lane: Zygote) -> None:
    verdict = grade(mutant.exercise, files, backend="simt", seed=SEED, until=mutant.caught_by, zygote=lane)

    told = next(iter(sections_of(mutant.exercise, files, verdict)), "")
    assert told == mutant.section or not mutant.section or _ambiguous(mutant, told), told
    said = "\n".join(f"{check.name} {check.status}: {check.sentence}" for check in verdict.checks)
    assert uncaught(mutant, verdict) == "", said


# Where `grader hint` leads elsewhere: the verdict is that of a mistake in another section, or the check that
# would tell them apart comes after the one that catches this one.
AMBIGUOUS = {
    "01: device memory lost when the call fails": "stage",
    "01: result not copied back": "kernel",
    "03: a grid for the sizes that were tried": "kernel",
    "03: empty input launches": "forward",
    "03: block of 2048 threads": "forward",
    "04: strides exchanged": "element",
    "05: no step backward": "forward",
    "05: never waits for the caller": "fork",
    "06: guards exchanged": "product",
    "12: aligned to one element": "launcher",
    "09: atomics over the sorted indices": "choose",
    "14: last warp in step": "warp_sum",
    "14: values from nowhere in the last warp": "warp_sum",
    "14: second stage missing": "vector_stage",
    "17: variance saved as rstd": "gradients",
    "17: weight left out of the sums": "gradients",
    "15: strides of a for both": "load",
    "16: every thread with its own maximum": "merge",
    "16: x saved instead of y": "backward_on_chip",
    "16: arguments exchanged": "backward_on_chip",
    "18: one thread for each row": "row_sums",
    "18: four threads for each row": "row_sums",
    "18: two warps for each row": "row_sums",
    "18: elements overlap": "rotate",
    "19: second tile started at the first": "products",
    "19: rows copied from the first on": "products",
    "19: half of each vector copied": "products",
    "19: a transposed operand taken for rows": "products",
    "19: never in vectors": "wide_copy",
    "20: nothing written for missing elements": "fragments",
    "20: a lane's elements assumed": "products",
    "20: sums start again": "rounds",
    "20: every product added twice": "rounds",
    "20: multiplied without tensor cores": "products",
    "22: sizes of the row-major product": "operand",
    "22: all graphs write one result": "operand",
    "22: columns for one graph, values for all": "batch",
    "22: one graph's features for all": "operand",
    "22: no workspace": "batch",
    "22: A is never transposed": "backward",
    "25: store without a mask": "tile",
    "25: x taken as dense in backward": "gradients",
    "25: x read twice": "tile",
    "25: sums stored, not added": "gradients",
    "25: both sums in the first row": "gradients",
    "25: the result by the strides of x": "tile",
    "27: a tolerance with room to spare": "dtypes",
    "28: largest score of this tile only": "scores",
    "28: no largest score subtracted": "scores",
    "28: causal counted within the tile": "scores",
    "28: weights of one key for four": "scores",
    "28: only the first vector of a row": "scores",
    "28: heads and batches exchanged in the grid": "scores",
    "28: first query and first key exchanged": "online",
    "29: delta of the other side": "rounds_of_queries",
    "29: weights of scores without the factor": "rounds_of_keys",
    "29: masked tiles computed for k and v": "rounds_of_keys",
    "29: causal forgotten": "weights",
    "29: no derivative of the operator": "backward",
    "90: first barrier missing": "stride",
}


def _ambiguous(mutant: Mutant, told: str) -> bool:
    return AMBIGUOUS.get(f"{mutant.exercise.slug[:2]}: {mutant.name}") == told


SMALL = ("00", "01", "02", "03", "06", "90")  # every other exercise has more to get wrong


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_there_are_enough_mistakes(exercise: Exercise) -> None:
    least = LEAST_MUTANTS if exercise.slug.startswith(SMALL) else 10
    assert len(load_mutants(exercise)) >= least


def test_the_verdicts_name_the_class_of_the_mistake() -> None:
    """What each has to say stands in mutants.toml; `test_the_mistake_is_caught` looks for it."""
    named = [mutant for mutant in ON_SIMT if mutant.says]
    assert len(named) >= 0.9 * len(ON_SIMT)


def test_the_demo_shows_three_mistakes_whose_answers_are_right() -> None:
    assert [mutant.finding for mutant in MUTANTS if mutant.demo] == [
        "out_of_bounds",
        "launch_stream",
        "race_shared",
    ]
