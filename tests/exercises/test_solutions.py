"""Every reference solution passes with all the points that can be had without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from grader.checks import grade
from grader.course.catalog import Exercise
from grader.run import Zygote
from grader.verdict import Status
from tests.desks import desk, together
from tests.honest.reading import place_solution

from .conftest import EXERCISES, ROOT, SEED


@pytest.mark.parametrize(
    "exercise", [pytest.param(each, id=each.slug, marks=together(each)) for each in EXERCISES]
)
def test_the_solution_passes_with_full_score(exercise: Exercise, lane: Zygote) -> None:
    with desk(exercise) as files:
        place_solution(exercise, files)
        verdict = grade(exercise, files, backend="simt", seed=SEED, zygote=lane)

    failed = [f"{check.name}: {check.sentence}" for check in verdict.checks if check.status is Status.FAIL]
    assert verdict.passed, failed
    assert verdict.earned == verdict.out_of
    assert verdict.out_of == 100 - exercise.scores.get("performance", 0)


def test_a_network_on_the_matrix_product_learns_as_one_on_torch_does() -> None:
    program = """
import json, sys
import torch
sys.path.insert(0, ".")
import train
own = train.train(25)
train.matmul = torch.matmul
print(json.dumps([own, train.train(25)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", f"from cusimt.activate import activate\nactivate()\n{program}"],
        cwd=ROOT / "solutions" / "06_naive_matmul",
        env={**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    own, library = json.loads(done.stdout.splitlines()[-1])
    assert own[-1] < own[0] / 3
    assert own == pytest.approx(library, rel=1e-2)
