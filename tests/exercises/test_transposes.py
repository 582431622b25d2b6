"""The kernels on the way to exercise 13: each is right, and falls short where the lesson says so."""

from __future__ import annotations

import pytest

from grader.run import Zygote

from .samples import Samples, failed

SAMPLES = Samples.of("13", "transposes")
pytestmark = SAMPLES.together


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(
    ("kernel", "lacks", "line"),
    [
        ("naive.cu", "global_store_sectors", "out[column * rows + row] = x[row * columns + column];"),
        ("tiled.cu", "bank_conflicts", "out[(column + i) * rows + row + lane] = tile[lane][i];"),
    ],
)
def test_a_step_on_the_way_is_right_but_not_efficient(
    lane: Zygote, kernel: str, lacks: str, line: str
) -> None:
    verdict = SAMPLES.graded(kernel, lane)

    failures = failed(verdict)
    assert [check.name for check in failures] == ["efficiency"]
    assert [(each.kind, each.source.strip()) for each in failures[0].findings] == [(lacks, line)]
    assert 0 < failures[0].points < failures[0].out_of


def test_a_swizzled_tile_is_as_good_as_a_padded_one(lane: Zygote) -> None:
    verdict = SAMPLES.graded("swizzled.cu", lane)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 80
