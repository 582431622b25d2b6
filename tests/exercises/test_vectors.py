"""The kernels on the way to exercise 12: each is right, and falls short where the lesson says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.catalog import Catalog
from grader.checks import grade
from grader.verdict import Status, Verdict

from .conftest import ROOT, SEED

EXERCISE = Catalog.open(ROOT).find("12")
SAMPLES = ROOT / "docs" / "samples" / "vectors"


def graded(kernel: str, folder: Path) -> Verdict:
    """The verdict on the solution with another kernel."""
    for file in EXERCISE.edit:
        shutil.copyfile(EXERCISE.solution_dir / file, folder / file)
    shutil.copyfile(SAMPLES / kernel, folder / "kernel.cu")
    return grade(EXERCISE, folder, backend="simt", seed=SEED)


REQUESTS = {"global_load_requests", "global_store_requests"}


@pytest.mark.parametrize(
    ("kernel", "lacks"),
    [("naive.cu", REQUESTS), ("unrolled.cu", REQUESTS), ("pieces.cu", {"global_sectors"})],
)
def test_a_kernel_on_the_way_is_right_but_not_efficient(tmp_path: Path, kernel: str, lacks: set[str]) -> None:
    verdict = graded(kernel, tmp_path)

    failed = [check for check in verdict.checks if check.status is Status.FAIL]
    assert [check.name for check in failed] == ["efficiency"]
    assert {each.kind for each in failed[0].findings} <= lacks
    exceeded = "\n".join(line for line in failed[0].lines if "✗" in line)
    assert ("sectors of global memory" in exceeded) is (kernel == "pieces.cu")
    assert ("requests read" in exceeded) is (kernel != "pieces.cu")
    assert 0 < failed[0].points < failed[0].out_of


def test_one_chunk_for_each_thread_is_as_good_as_two(tmp_path: Path) -> None:
    verdict = graded("vectors.cu", tmp_path)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 85
