"""The exercises on a real GPU: the same verdicts as on the simulated one, and a speed besides."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.checks import grade
from grader.course.catalog import Exercise
from grader.course.mutants import Mutant
from grader.course.workspace import shipped_files
from grader.verdict import Status
from tests.exercises.conftest import EXERCISES, MUTANTS

SEED = 20260402
ON_CUDA = [mutant for mutant in MUTANTS if "cuda" in mutant.backends]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_the_solution_passes_and_is_timed(exercise: Exercise) -> None:
    verdict = grade(exercise, exercise.solution_dir, backend="cuda", seed=SEED)

    results = {check.name: check for check in verdict.checks}
    # What is counted is counted on the simulated GPU alone: efficiency, and the parts of 18.
    judged = [check for check in verdict.checks if check.status is not Status.UNAVAILABLE]
    failed = [(check.name, check.sentence) for check in judged if check.status is not Status.PASS]
    assert judged and [name for name, _ in failed if name != "performance"] == [], failed
    performance = results.get("performance")
    if performance is not None:  # another program on this GPU may make the times too noisy to judge
        assert performance.status in (Status.PASS, Status.INCONCLUSIVE), performance.sentence
        assert performance.points == performance.out_of or not performance.status.counts, performance.sentence


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_the_stub_is_not_attempted(exercise: Exercise, tmp_path: Path) -> None:
    for path, text in shipped_files(exercise).items():
        copy = tmp_path / path.relative_to(exercise.root)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text)

    assert grade(exercise, tmp_path, backend="cuda", seed=SEED).status is Status.NOT_ATTEMPTED


@pytest.mark.parametrize("mutant", ON_CUDA, ids=lambda each: f"{each.exercise.slug}: {each.name}")
def test_the_mistake_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    if torch.cuda.device_count() < mutant.devices:
        pytest.skip(f"needs {mutant.devices} GPUs")
    mutant.write(tmp_path)

    verdict = grade(mutant.exercise, tmp_path, backend="cuda", seed=SEED, until=mutant.caught_by)

    catcher = {check.name: check for check in verdict.checks}[mutant.caught_by]
    said = "\n".join(f"{check.name} {check.status}: {check.sentence}" for check in verdict.checks)
    assert catcher.status.stands_in_the_way, said
    assert catcher.status is not Status.INFRA_ERROR, said
