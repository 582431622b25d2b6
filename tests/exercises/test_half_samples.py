"""The two kernels beside exercise 08's: one computes in 16 bits, and one loads pairs of them."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.catalog import Catalog
from grader.checks import grade
from grader.verdict import Status, Verdict

from .conftest import ROOT, SEED

EXERCISE = Catalog.open(ROOT).find("08")
SAMPLES = ROOT / "docs" / "samples" / "half"


def graded(kernel: str, folder: Path) -> Verdict:
    """The verdict on the solution with another kernel."""
    for file in EXERCISE.edit:
        shutil.copyfile(EXERCISE.solution_dir / file, folder / file)
    shutil.copyfile(SAMPLES / kernel, folder / "kernel.cu")
    return grade(EXERCISE, folder, backend="simt", seed=SEED)


def test_rounding_at_every_step_is_wrong_in_both_passes(tmp_path: Path) -> None:
    verdict = graded("rounded.cu", tmp_path)
    wrong = {check.name: check for check in verdict.checks if check.status is Status.FAIL}
    assert wrong.keys() == {"correctness", "gradient"}
    assert "the error grows with the length of the sum: accumulate in float" in wrong["correctness"].sentence
    assert "the gradient of x is" in wrong["gradient"].sentence
    assert "partial sum kept in float16? Compute in float" in wrong["gradient"].sentence


def test_pairs_of_channels_give_the_same_answers(tmp_path: Path) -> None:
    verdict = graded("two_channels.cu", tmp_path)
    assert verdict.passed, [check.sentence for check in verdict.checks]
