"""The two kernels beside exercise 08's: one computes in 16 bits, and one loads pairs of them."""

from __future__ import annotations

from pathlib import Path

from grader.verdict import Status

from .samples import Samples

SAMPLES = Samples.of("08", "half")


def test_rounding_at_every_step_is_wrong_in_both_passes(tmp_path: Path) -> None:
    verdict = SAMPLES.graded("rounded.cu", tmp_path)
    wrong = {check.name: check for check in verdict.checks if check.status is Status.FAIL}
    assert wrong.keys() == {"correctness", "gradient"}
    assert "the error grows with the length of the sum: accumulate in float" in wrong["correctness"].sentence
    assert "the gradient of x is" in wrong["gradient"].sentence
    assert "partial sum kept in float16? Compute in float" in wrong["gradient"].sentence


def test_pairs_of_channels_give_the_same_answers(tmp_path: Path) -> None:
    verdict = SAMPLES.graded("two_channels.cu", tmp_path)
    assert verdict.passed, [check.sentence for check in verdict.checks]
