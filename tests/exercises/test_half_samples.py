"""The two kernels beside exercise 08's: one computes in 16 bits, and one loads pairs of them."""

from __future__ import annotations

from grader.run import Zygote
from grader.verdict import Status

from .samples import Samples

SAMPLES = Samples.of("08", "half")
pytestmark = SAMPLES.together


def test_rounding_at_every_step_is_wrong_in_both_passes(lane: Zygote) -> None:
    verdict = SAMPLES.graded("rounded.cu", lane)
    wrong = {check.name: check for check in verdict.checks if check.status is Status.FAIL}
    assert wrong.keys() == {"correctness", "gradient"}
    assert "the error grows with the length of the sum: accumulate in float" in wrong["correctness"].sentence
    assert "the gradient of x is" in wrong["gradient"].sentence
    assert "partial sum kept in float16? Compute in float" in wrong["gradient"].sentence


def test_pairs_of_channels_give_the_same_answers(lane: Zygote) -> None:
    verdict = SAMPLES.graded("two_channels.cu", lane)
    assert verdict.passed, [check.sentence for check in verdict.checks]
