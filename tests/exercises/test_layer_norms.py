"""The kernels on the way to exercise 17: each is right, and moves more than the lesson says is needed."""

from __future__ import annotations

import pytest

from grader.run import Zygote

from .samples import Samples, failed

SAMPLES = Samples.of("17", "layer_norms")
pytestmark = SAMPLES.together
FORWARD = "layer_norm(x: float32 (128, 512), weight: float32 (512,), bias: float32 (512,), 1e-05)"
ONCE = 8192  # sectors of x


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(
    ("kernel", "forward", "backward", "told"),
    [
        ("block_per_row.cu", 3 * ONCE, 3 * ONCE, "; x is read 3 times, in lines "),
        ("naive.cu", 3 * 8 * ONCE, 2 * 8 * ONCE + ONCE, ""),
    ],
)
def test_a_step_on_the_way_is_right_and_reads_x_several_times(
    lane: Zygote, kernel: str, forward: int, backward: int, told: str
) -> None:
    """The naive kernel moves a sector for each value where its lanes are in 32 rows."""
    failures = failed(SAMPLES.graded(kernel, lane))
    assert [check.name for check in failures] == ["efficiency"]
    assert told in failures[0].sentence
    lines = failures[0].lines
    assert f"✗ {forward:,} sectors of x read from global memory, at most {ONCE:,} in {FORWARD}" in lines
    assert (
        f"✗ {backward:,} sectors of x read from global memory, at most {ONCE:,} in the backward of {FORWARD}"
    ) in lines


def test_merged_moments_move_as_little_as_the_solution(lane: Zygote) -> None:
    verdict = SAMPLES.graded("merged.cu", lane)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 80
