"""A term that is missing in a sum, or added twice, is named; other errors are not taken for it."""

from __future__ import annotations

import torch

from .test_checks_diagnose import numbers, told

INDICES = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2, 2])
GRAD_OUT = numbers(10, 6) - 1


def summed(order: torch.Tensor) -> torch.Tensor:
    return torch.zeros(3, 6).index_add(0, INDICES[order], GRAD_OUT[order])


RIGHT = summed(torch.arange(10))


def test_the_last_row_of_every_segment_left_out() -> None:
    text = told(summed(torch.tensor([0, 1, 2, 3, 4, 5, 8])), RIGHT, cotangent=GRAD_OUT)
    assert text == (
        "Row 0 is too small by exactly grad_out[6]: one term is left out of each of the 3 wrong rows."
    )


def test_a_row_added_twice() -> None:
    got = RIGHT.clone()
    got[1] += GRAD_OUT[4]
    text = told(got, RIGHT, cotangent=GRAD_OUT)
    assert (
        text
        == "Row 1 is too large by exactly grad_out[4]: one term is added once too often in the wrong row."
    )


def test_two_rows_left_out_are_not_one() -> None:
    text = told(summed(torch.tensor([1, 2, 3, 4, 5, 7, 8])[2:]), RIGHT, cotangent=GRAD_OUT)
    assert "exactly grad_out" not in text
    got = RIGHT.clone()
    got[1, 3] += 1
    assert "exactly grad_out" not in told(got, RIGHT, cotangent=GRAD_OUT)
