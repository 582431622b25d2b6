"""Patterns of whole rows: what normalisations, softmax and their gradients get wrong row by row."""

from __future__ import annotations

import math

import torch

from grader.checks.values.compare import number
from grader.checks.values.wrong_answer import MANY, NARROW, Wrong
from grader.run.tensors import dtype_name

SHORTEST = 4  # values in a row, from which on a common factor is no coincidence
SEVERAL = 3  # rows, of which one may be orthogonal to another by coincidence
LOST = 1e-3  # of a variance: what rounding takes, if it is computed as a difference of squares
CLEARLY = 1e-4  # away from 1: less is rounding, which also looks like a factor in a row of few values
ORTHOGONAL, SKEW = 1e-2, 3e-2  # cosines: eps under a root leaves a little of the first
COINCIDENCE = 1e-4  # how likely rows without any relation may be to look orthogonal
BALANCED = 1e-6  # of the sum of absolute values: what is left of a row that adds up to 0


def cancellation(wrong: Wrong) -> str:
    """An input whose mean is so large beside its spread that a difference of squares is noise.

    The answer must look like it: rows that are off by a factor of their own, or without a number.
    """
    if not wrong.got.is_floating_point() or wrong.got.dtype in NARROW or rows_of(wrong) is None:
        return ""
    if bool(wrong.flat_got.isfinite().all()) and not (scaled_rows(wrong) or scaled_and_shifted_rows(wrong)):
        return ""
    for name, values in wrong.inputs:
        if values.shape != wrong.expected.shape or values.numel() < MANY or values.dtype in NARROW:
            continue
        if not values.is_floating_point() or not bool(values.isfinite().all()):
            continue
        wide = values.to(torch.float64)
        mean, spread = float(wide.mean()), float(wide.std(correction=0))
        if spread > 0 and abs(mean) * torch.finfo(values.dtype).eps ** 0.5 > LOST**0.5 * spread:
            dtype = dtype_name(values.dtype)
            return (
                f"Cancellation? The mean of {name} is {number(mean, 3)} and its spread {number(spread, 2)}. "
                f"A variance as E[x^2] - E[x]^2 is a difference of two numbers near {number(mean**2, 2)}, of "
                f"which {dtype} keeps too few digits to hold {number(spread**2, 2)}. Subtract the mean "
                "first, then square."
            )
    return ""


def scaled_rows(wrong: Wrong) -> str:
    """Every row is a multiple of the right one, by a factor of its own."""
    expected = rows_of(wrong)
    if expected is None:
        return ""
    got = wrong.flat_got.reshape(expected.shape)
    largest = expected.abs().argmax(dim=1, keepdim=True)
    divisor = expected.gather(1, largest)
    factors = torch.where(divisor == 0, 1.0, got.gather(1, largest) / divisor)
    if not bool((factors != 0).all()) or not wrong.is_close(expected * factors):
        return ""
    if not bool(((factors - 1).abs() > CLEARLY).any()):
        return ""
    length = expected.shape[1]
    said = f"Within each row, every element is the same multiple of the right one ({_worst(factors, 1)})."
    for ratio, words in (
        ((length - 1) / length, "n - 1 instead of n"),
        (length / (length - 1), "n instead of n - 1"),
    ):
        if bool(((factors**2 / ratio - 1).abs() < 0.1 / length).all()):
            return f"{said} Is the variance of a row of n = {length} divided by {words}?"
    return f"{said} What the row is divided or multiplied by is wrong."


def _drowns(wrong: Wrong, expected: torch.Tensor, shifts: torch.Tensor) -> bool:
    """Whether the shifts alone explain the answer: beside them, the right numbers are rounded away."""
    return wrong.is_close(shifts.expand_as(expected))


def shifted_rows(wrong: Wrong) -> str:
    """Every row is off by a number of its own."""
    expected = rows_of(wrong)
    if expected is None:
        return ""
    off = wrong.flat_got.reshape(expected.shape) - expected
    shifts = off.median(dim=1, keepdim=True).values
    if not bool(shifts.any()) or not wrong.is_close(expected + shifts) or _drowns(wrong, expected, shifts):
        return ""
    return (
        f"Within each row, every element is off by the same amount ({_worst(shifts, 0)}). What is "
        "added to the row or subtracted from it is wrong."
    )


def scaled_and_shifted_rows(wrong: Wrong) -> str:
    """Every row is right but for a factor and a number of its own: so are its mean and its variance."""
    expected = rows_of(wrong)
    if expected is None or wrong.cotangent is not None:
        return ""
    got = wrong.flat_got.reshape(expected.shape)
    mean, off = got.mean(dim=1, keepdim=True), expected.mean(dim=1, keepdim=True)
    around = expected - off
    factors = ((got - mean) * around).sum(dim=1, keepdim=True) / around.square().sum(dim=1, keepdim=True)
    if not bool((factors.isfinite() & (factors != 0)).all()):
        return ""
    shifts = mean - factors * off
    if not wrong.is_close(expected * factors + shifts) or _drowns(wrong, expected, shifts):
        return ""
    return (
        f"Within each row, every element is the right one times {_worst(factors, 1)}, plus a number "
        f"({_worst(shifts, 0)}). Both statistics of the row are wrong: some values are missing in them, "
        "counted twice or given the wrong weight."
    )


def unbalanced_gradient(wrong: Wrong) -> str:
    """Rows of the right gradient add up to 0, since forward subtracts a mean or divides by a sum."""
    expected = rows_of(wrong)
    if expected is None or not _is_backwards_own(wrong) or not bool(expected.any()):
        return ""
    got = wrong.flat_got.reshape(expected.shape)
    size = expected.abs().sum(dim=1)
    left = torch.finfo(wrong.got.dtype).eps * expected.shape[1] * got.abs().sum(dim=1)
    if bool((expected.sum(dim=1).abs() > BALANCED * size).any()) or bool(
        (got.sum(dim=1).abs() <= left).all()
    ):
        return ""
    return (
        "Each row of the right gradient adds up to 0, because the result does not change when the whole row "
        "is shifted. This one does not: a term with a sum over the row is missing or wrong, or the term that "
        "it should cancel lacks a factor."
    )


def radial_gradient(wrong: Wrong) -> str:
    """Rows of the right gradient are orthogonal to those of an input, since forward divides by their size."""
    expected = rows_of(wrong)
    if expected is None or not _is_backwards_own(wrong):
        return ""
    got = wrong.flat_got.reshape(expected.shape)
    for name, values in wrong.inputs:
        if values.shape != wrong.expected.shape:
            continue
        rows = values.to(torch.float64).reshape(expected.shape)
        rows = rows - rows.mean(dim=1, keepdim=True)
        telling = (expected.norm(dim=1) > 0) & (rows.norm(dim=1) > 0)  # a row of zeros is orthogonal to all
        if _is_chance(int(telling.sum()), expected.shape[1]):
            continue
        if _along(expected, rows) < ORTHOGONAL < SKEW < _along(got, rows):
            return (
                f"Each row of the right gradient is orthogonal to its row of {name} less the mean, because "
                "the result does not change when the row is stretched. This one is not: the term that comes "
                "from the row's variance is missing or wrong."
            )
    return ""


def _is_backwards_own(wrong: Wrong) -> bool:
    """Whether the rows of a gradient tell of backward: a wrong result that it reads breaks them, too."""
    return wrong.cotangent is not None and not wrong.of_wrong_forward


def _is_chance(rows: int, columns: int) -> bool:
    """Whether `rows` random vectors, less their mean, may well all be within ORTHOGONAL of a right angle.

    The cosine of two such vectors is about normal with variance 1 / (columns - 1).
    """
    of_one = math.erf(ORTHOGONAL * math.sqrt((columns - 1) / 2))
    return rows < SEVERAL or of_one**rows > COINCIDENCE


def _along(gradient: torch.Tensor, rows: torch.Tensor) -> float:
    """The largest cosine between a row of the gradient and its row."""
    lengths = gradient.norm(dim=1) * rows.norm(dim=1)
    return float(((gradient * rows).sum(dim=1).abs() / lengths.clamp(min=1e-300)).max())


def summed_product(wrong: Wrong) -> str:
    """The gradient of a parameter that every row shares: the sum of grad_out times an input as it is."""
    cotangent = wrong.cotangent
    if cotangent is None or wrong.total < SHORTEST or wrong.expected.ndim >= cotangent.ndim:
        return ""
    for name, values in wrong.inputs:
        if values.shape != cotangent.shape or not values.is_floating_point():
            continue
        product = (cotangent.to(wrong.expected.dtype) * values).sum_to_size(wrong.expected.shape)
        if wrong.is_close(product):
            return (
                f"The result is grad_out * {name}, added up over the rows. Forward multiplies this input by "
                f"something that is computed from {name}, which takes the place of {name} in that sum."
            )
    return ""


def rows_of(wrong: Wrong) -> torch.Tensor | None:
    """What was expected as a matrix of rows; None where there are none to speak of."""
    shape = wrong.expected.shape
    usable = wrong.got.is_floating_point() and wrong.total >= MANY and wrong.expected.ndim >= 2
    if not usable or shape[-1] < SHORTEST or not bool(wrong.expected.isfinite().all()):
        return None
    return wrong.expected.reshape(-1, shape[-1])


def _worst(values: torch.Tensor, neutral: float) -> str:
    """``0.968 in row 2``: the one farthest from `neutral`; ``0.968 in every row`` where they agree."""
    row = int((values - neutral).abs().argmax())
    alike = bool(((values - values[row]).abs() <= CLEARLY * values[row].abs()).all())
    return f"{number(float(values[row]), 4)} in {'every row' if alike else f'row {row}'}"
