"""The kernels on the way to exercise 16: each is right, and reads memory as often as the lesson says."""

from __future__ import annotations

import pytest

from grader.run import Zygote

from .samples import Samples, failed

SAMPLES = Samples.of("16", "softmaxes")
pytestmark = SAMPLES.together
FITS, LONG = "softmax(x: float32 (32, 1024))", "softmax(x: float32 (1, 32768))"


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(
    ("kernel", "fits", "long"),
    [("registers.cu", 1, 3), ("online.cu", 2, 2), ("naive.cu", 3, 3)],
)
def test_a_step_on_the_way_reads_a_row_as_often_as_its_lesson_says(
    lane: Zygote, kernel: str, fits: int, long: int
) -> None:
    checks = failed(SAMPLES.graded(kernel, lane))

    assert [check.name for check in checks] == ["efficiency"]
    (efficiency,) = checks
    for case, reads, enough in ((FITS, fits, 1), (LONG, long, 2)):
        mark = "✓" if reads <= enough else "✗"
        line = f"{mark} {reads * 4096:,} sectors read from global memory, at most {enough * 4096:,} in {case}"
        assert line in efficiency.lines
    again = [f"a sector comes {max(fits, long)} times" in each.sentence for each in efficiency.findings]
    assert any(again)
