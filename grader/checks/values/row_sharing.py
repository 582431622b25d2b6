"""Rows shared by several threads that each used a value of its own."""

from __future__ import annotations

import torch

from grader.checks.values.compare import number
from grader.checks.values.rows import SHORTEST, rows_of
from grader.checks.values.wrong_answer import NARROW, Wrong

APART = 64  # units of rounding: factors that differ by more are different ones
ROWS = 256  # of the wrong ones, enough to look at
WHOLE = 1e-4  # so near to a whole number, a factor may be a count: terms left out, or added twice


def factors_of_threads(wrong: Wrong) -> str:
    """A row falls into groups, each a multiple of what is right by a factor that its elements share.

    This is what a normalisation looks like whose threads disagree about the maximum or the sum of the row.
    Whole factors are left to the patterns that count: a region may have been added twice, or half of it.
    """
    expected = rows_of(wrong)
    if expected is None or wrong.got.dtype in NARROW or not bool(wrong.flat_got.isfinite().all()):
        return ""
    got = wrong.flat_got.reshape(expected.shape)
    mask = wrong.flat_mask.reshape(expected.shape)
    groups = elements = 0
    told = ""
    for row in mask.any(dim=1).nonzero().reshape(-1)[:ROWS].tolist():
        factors = _groups(wrong, got[row], expected[row])
        if factors is None:
            return ""
        groups += sum(abs(each - 1) > WHOLE for each in factors)
        elements += int(mask[row].sum())
        if not told and len(factors) > 1 and not all(map(_counts, factors)):
            low, high = number(min(factors), 4), number(max(factors), 4)
            told = (
                f"Row {row} falls into {len(factors)} groups of elements, each the right ones times a factor "
                f"of its own ({low} to {high})."
            )
    if not told or groups * SHORTEST > elements:
        return ""
    return (
        f"{told} Does each thread use a maximum or a sum of its own? Every lane and every warp "
        "needs that of the whole row."
    )


def _groups(wrong: Wrong, got: torch.Tensor, expected: torch.Tensor) -> list[float] | None:
    """The factors of one row, if few explain all its elements."""
    large = expected.abs() > torch.finfo(wrong.got.dtype).tiny / torch.finfo(wrong.got.dtype).eps
    factors = (got[large] / expected[large]).sort().values
    if factors.numel() < SHORTEST or bool((factors == 0).any()):
        return None
    apart = APART * torch.finfo(wrong.got.dtype).eps
    steps = (factors[1:] - factors[:-1]) > apart * factors[1:].abs()
    first = torch.cat([torch.tensor([0]), steps.nonzero().reshape(-1) + 1])
    last = torch.cat([first[1:], torch.tensor([factors.numel()])]) - 1
    width = factors[last] - factors[first]
    many = len(first) * SHORTEST > factors.numel()
    if many or bool((width > SHORTEST * apart * factors[last].abs()).any()):
        return None
    return [float(each) for each in factors[first]]


def _counts(factor: float) -> bool:
    """Whether it is a whole number, or one over a whole number."""
    size = max(abs(factor), 1 / abs(factor))
    return abs(size - round(size)) <= WHOLE * size
