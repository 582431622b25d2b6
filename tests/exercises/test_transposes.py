"""The kernels on the way to exercise 13: each is right, and falls short where the lesson says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from .samples import Samples, failed

SAMPLES = Samples.of("13", "transposes")


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
    verdict = SAMPLES.graded(kernel, tmp_path)

    failures = failed(verdict)
    assert [check.name for check in failures] == ["efficiency"]
    assert [(each.kind, each.source.strip()) for each in failures[0].findings] == [(lacks, line)]
    assert 0 < failures[0].points < failures[0].out_of


def test_a_swizzled_tile_is_as_good_as_a_padded_one(tmp_path: Path) -> None:
    verdict = SAMPLES.graded("swizzled.cu", tmp_path)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 80
