"""Solutions that choose by the GPU's limits, on a model that has less than the one simulated by default."""

from __future__ import annotations

import pytest

from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.course.exercise import Exercise
from grader.verdict import Status
from tests.desks import desk, spool, together
from tests.honest.reading import place_solution

from .conftest import EXERCISES, SEED

# The backward of attention has tiles of 80 KiB, and smaller ones where a block has no room for them.
CHOOSING = [each for each in EXERCISES if each.slug == "29_attention_backward"]


@pytest.mark.release("a solution on a second model of a GPU")
@pytest.mark.slow("grades a large exercise")
@pytest.mark.parametrize(
    "exercise", [pytest.param(each, id=each.slug, marks=together(each)) for each in CHOOSING]
)
def test_the_solution_passes_where_a_block_has_64_kib(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUSIMT_DEVICE", "t4")
    with desk(exercise) as files, open_lane("simt", spool(), [exercise], isolate=False) as lane:
        place_solution(exercise, files)
        verdict = grade(exercise, files, backend="simt", seed=SEED, zygote=lane)

    failed = [f"{check.name}: {check.sentence}" for check in verdict.checks if check.status is Status.FAIL]
    assert verdict.passed and verdict.earned == verdict.out_of, failed
