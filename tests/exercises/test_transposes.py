"""The kernels on the way to exercise 13: each is right, and falls short where the lesson says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.catalog import Catalog
from grader.checks import grade
from grader.verdict import Status, Verdict

from .conftest import ROOT, SEED

EXERCISE = Catalog.open(ROOT).find("13")
SAMPLES = ROOT / "docs" / "samples" / "transposes"


def graded(kernel: str, folder: Path) -> Verdict:
    """The verdict on the solution with another kernel."""
    for file in EXERCISE.edit:
        shutil.copyfile(EXERCISE.solution_dir / file, folder / file)
    shutil.copyfile(SAMPLES / kernel, folder / "kernel.cu")
    return grade(EXERCISE, folder, backend="simt", seed=SEED)


@pytest.mark.parametrize(
    ("kernel", "lacks", "line"),
    [
        ("naive.cu", "global_store_sectors", "out[column * rows + row] = x[row * columns + column];"),
        ("tiled.cu", "bank_conflicts", "out[(column + i) * rows + row + lane] = tile[lane][i];"),
    ],
)
def test_a_step_on_the_way_is_right_but_not_efficient(
    tmp_path: Path, kernel: str, lacks: str, line: str
) -> None:
    verdict = graded(kernel, tmp_path)

    failed = [check for check in verdict.checks if check.status is Status.FAIL]
    assert [check.name for check in failed] == ["efficiency"]
    assert [(each.kind, each.source.strip()) for each in failed[0].findings] == [(lacks, line)]
    assert 0 < failed[0].points < failed[0].out_of


def test_a_swizzled_tile_is_as_good_as_a_padded_one(tmp_path: Path) -> None:
    verdict = graded("swizzled.cu", tmp_path)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 80
