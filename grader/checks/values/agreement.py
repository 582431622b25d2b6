"""Whether a wrong answer matches the answer that a known mistake would give, beyond coincidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from grader.checks.values.compare import wrong_elements
from grader.checks.values.expected import Expected, Tolerance
from grader.checks.values.wrong_answer import MANY

LEAST = 3  # different numbers, at the least
BITS = 40  # so many that agree by chance are out of the question
APART = 4.0  # tolerances between the other answer and the right one, where the two can be told apart


def explains(
    got: Sequence[torch.Tensor], others: Sequence[torch.Tensor], expected: Sequence[Expected]
) -> bool:
    """Whether all that was returned agrees with `others`, and that is no coincidence."""
    if not len(got) == len(others) == len(expected):
        return False
    pairs = list(zip(got, others, expected, strict=True))
    return all(agrees(*each) for each in pairs) and any(tells(other, right) for _, other, right in pairs)


def agrees(got: torch.Tensor, other: torch.Tensor, expected: Expected) -> bool:
    """Whether `got` is `other` to rounding wherever that is known (not NaN)."""
    if got.shape != other.shape or got.is_complex() or other.is_complex():
        return False
    tolerance = _of_its_size(expected, other)
    return not bool((wrong_elements(got, other, tolerance) & ~_unknown(other, expected)).any())


def tells(other: torch.Tensor, expected: Expected) -> bool:
    """Whether `other` differs from the right answer so clearly, and in so many numbers, that to agree with it
    is no coincidence.
    """
    if other.shape != expected.values.shape:
        return False
    tolerance = expected.tolerance
    clear = Tolerance(APART * tolerance.relative, APART * tolerance.absolute)
    apart = wrong_elements(other, expected.values, clear) & ~_unknown(other, expected)
    return len(torch.unique(other[apart])) >= _needed(expected)


def _of_its_size(expected: Expected, other: torch.Tensor) -> Tolerance:
    """The tolerance of an answer that is as large as `other`: what rounding leaves of terms that cancel grows
    with the terms.
    """
    tolerance = expected.tolerance
    if not other.is_floating_point() or tolerance.absolute == 0:
        return tolerance
    sizes = [each[each.isfinite()].abs() for each in (other, expected.values)]
    if any(each.numel() == 0 for each in sizes):
        return tolerance
    its_size, right_size = (float(each.median()) for each in sizes)
    larger = max(1.0, its_size / right_size) if right_size > 0 else 1.0
    return Tolerance(tolerance.relative, larger * tolerance.absolute)


def _needed(expected: Expected) -> int:
    """How many different numbers have to agree: few of double precision, more of half."""
    relative = expected.tolerance.relative
    if not 0 < relative < 1:
        return MANY  # integers, or a tolerance that says nothing
    return max(LEAST, math.ceil(BITS / -math.log2(relative)))


def _unknown(other: torch.Tensor, expected: Expected) -> torch.Tensor:
    return other.isnan() & ~expected.values.isnan()
