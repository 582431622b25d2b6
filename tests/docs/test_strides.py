"""The kernels that lesson 04 measures beside the solution's are right, huge strides included."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.checks import grade
from grader.course.catalog import Catalog
from grader.run import Zygote
from grader.verdict import Status
from tests.desks import desk, together
from tests.honest.reading import place_solution

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = Catalog.open(ROOT).find("04_strides_and_indices")
SAMPLES = {"pointers32": "kernel.cu", "accessors32": "accessors.cu"}


def test_every_sample_has_a_place() -> None:
    found = {file.stem for file in (ROOT / "docs" / "samples" / "strides").glob("*.cu")}
    assert found == set(SAMPLES)


@together(EXERCISE)
@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(("name", "target"), SAMPLES.items())
def test_the_sample_passes_in_place_of_the_solutions_kernel(name: str, target: str, lane: Zygote) -> None:
    with desk(EXERCISE) as files:
        place_solution(EXERCISE, files)
        shutil.copyfile(ROOT / "docs" / "samples" / "strides" / f"{name}.cu", files / target)
        verdict = grade(EXERCISE, files, backend="simt", seed=4, until="safety", zygote=lane)
    failed = [
        f"{check.name}: {check.sentence}" for check in verdict.checks if check.status is not Status.PASS
    ]
    assert not failed
