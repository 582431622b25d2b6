"""Patterns that relate a wrong answer to the right one: a factor, a term, an order."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from grader.checks.values.wrong_answer import MANY, Wrong

LARGEST_DIVISOR = 10_000  # an average over more elements than this is not tried


def a_factor(wrong: Wrong) -> str:
    if not wrong.got.is_floating_point() or not bool(wrong.flat_expected.any()):
        return ""
    usable = wrong.flat_expected.isfinite() & (wrong.flat_expected != 0)
    if not bool(usable.any()):
        return ""
    largest = int(torch.where(usable, wrong.flat_expected.abs(), 0).argmax())
    ratio = float(wrong.flat_got[largest] / wrong.flat_expected[largest])
    for factor, words in _factors_near(ratio):
        if wrong.is_close(wrong.expected * factor):
            return f"Every element is {words} what it should be."
    return ""


def negated(wrong: Wrong) -> str:
    """A gradient with the wrong sign, which may well be that of another input."""
    if wrong.cotangent is None or not wrong.got.is_floating_point() or wrong.total < MANY:
        return ""
    if not bool((wrong.expected != 0).any()) or not wrong.is_close(-wrong.expected):
        return ""
    return "Every element is minus what it should be: this gradient has the wrong sign."


def _factors_near(ratio: float) -> Iterator[tuple[float, str]]:
    """The whole number, or the inverse of one, that `ratio` may stand for, with its words."""
    if not 0.5 / LARGEST_DIVISOR < abs(ratio) < 2 * LARGEST_DIVISOR:
        return
    sign, minus = math.copysign(1.0, ratio), "minus " if ratio < 0 else ""
    size, divisor = round(abs(ratio)), round(1 / abs(ratio))
    if 1 <= size <= LARGEST_DIVISOR and sign * size != 1:
        yield sign * size, f"{minus}{size} times" if size > 1 else "minus"
    if 2 <= divisor <= LARGEST_DIVISOR:
        yield sign / divisor, f"{minus}{_PARTS.get(divisor, f'1/{divisor} of')}"


_PARTS = {2: "half of", 4: "a quarter of"}


def below_zero(wrong: Wrong) -> str:
    """A difference that became negative in an unsigned type."""
    if wrong.got.dtype != torch.uint8 or wrong.count < 2:
        return ""
    got, expected = wrong.flat_got[wrong.flat_mask].long(), wrong.flat_expected[wrong.flat_mask].long()
    if not bool(((got + expected) == 256).all()):
        return ""
    return (
        "Every wrong element is 256 minus the right one: a difference fell below 0, and uint8 has no "
        "negative numbers."
    )


def a_chain_factor(wrong: Wrong) -> str:
    """A gradient that has one factor too few or too many: an input, or the cotangent itself."""
    if wrong.cotangent is None or not wrong.got.is_floating_point() or wrong.total < MANY:
        return ""
    for name, values in (("grad_out", wrong.cotangent), *wrong.inputs):
        factor = _broadcast(values, wrong.expected)
        if factor is None or not bool((factor != 0).all()):
            continue
        if wrong.is_close(wrong.expected / factor):
            return (
                f"The result is the right one divided by {name}: the chain rule's factor {name} is missing."
            )
        if wrong.is_close(wrong.expected * factor):
            return f"The result is the right one times {name}: that factor does not belong there."
    return ""


def the_cotangent(wrong: Wrong) -> str:
    """A gradient that nothing has happened to."""
    if wrong.cotangent is None or not wrong.got.is_floating_point() or wrong.total < MANY:
        return ""
    fitted = _broadcast(wrong.cotangent, wrong.expected)
    if fitted is None:
        return ""
    if not bool(wrong.expected.any()) and (wrong.is_close(fitted) or wrong.is_close(-fitted)):
        sign = "" if wrong.is_close(fitted) else "minus "
        return (
            f"The result is {sign}grad_out, where the gradient is 0: is this point treated as one beside it?"
        )
    if not wrong.is_close(fitted):
        return ""
    return (
        "The result is grad_out itself. Either backward returns it unmodified, or autograd sees this input "
        "pass through the call unchanged."
    )


def for_ones(wrong: Wrong) -> str:
    """The right gradient for another cotangent, one of ones."""
    if wrong.for_ones is None or wrong.total < MANY or not bool(wrong.for_ones.any()):
        return ""
    if not wrong.is_close(wrong.for_ones):
        return ""
    return "This is the gradient for a grad_out of ones: the incoming gradient is not used."


def single_terms(wrong: Wrong) -> str:
    """A gradient in which one element of the cotangent stands where several should have been added up."""
    if wrong.cotangent is None or not wrong.got.is_floating_point() or wrong.count < MANY:
        return ""
    terms = wrong.cotangent.reshape(-1).to(wrong.expected.dtype)
    got, right = wrong.flat_got[wrong.flat_mask], wrong.flat_expected[wrong.flat_mask]
    if not bool(torch.isin(got, terms).all()) or bool(torch.isin(right, terms).any()):
        return ""
    return (
        f"Each of the {wrong.count} wrong elements is one element of grad_out, where several should be added "
        "up: it is written, and the others are overwritten."
    )


def an_input(wrong: Wrong) -> str:
    """The answer is an input, or differs from the right one by exactly an input."""
    if not wrong.got.is_floating_point() or wrong.total < MANY:
        return ""
    for name, values in wrong.inputs:
        fitted = _broadcast(values, wrong.expected)
        if fitted is None or not bool(fitted.any()):
            continue
        if wrong.is_close(fitted):
            return f"The result equals {name} unchanged."
        if wrong.is_close(wrong.expected - fitted):
            return f"The result is too small by exactly {name}: that term is missing."
        if wrong.is_close(wrong.expected + fitted):
            return f"The result is too large by exactly {name}: that term is added once too often."
    return ""


def the_reason(wrong: Wrong) -> str:
    """A mistake for which the reference, evaluated again, gives exactly this answer."""
    return wrong.reason()


def _unchanged(wrong: Wrong) -> str:
    """Where rows and columns ought to change places, and did not."""
    for name, values in wrong.inputs:
        if values.shape == wrong.expected.shape and wrong.is_close(values):
            return f"The result equals {name} unchanged."
    return ""


def transposed(wrong: Wrong) -> str:
    if wrong.expected.ndim < 2 or min(wrong.expected.shape[-2:]) < 2 or wrong.total < MANY:
        return ""
    rows, columns = wrong.expected.shape[-2:]
    turned = wrong.expected.mT.reshape(wrong.expected.shape)
    back = wrong.expected.reshape(*wrong.expected.shape[:-2], columns, rows).mT
    if wrong.is_close(turned) or wrong.is_close(back):
        return _unchanged(wrong) or (
            "These are the right numbers, transposed: row and column index are exchanged, or the strides of "
            "a transposed tensor are ignored."
        )
    return ""


def shifted(wrong: Wrong) -> str:
    """The right numbers, one element or one row too early or too late."""
    if wrong.total < MANY:
        return ""
    steps = {1: "one element"}
    if wrong.expected.ndim >= 2 and wrong.expected.shape[-1] > 1:
        steps[wrong.expected.shape[-1]] = "one row"
    for step, words in steps.items():
        if wrong.total - step < MANY:
            continue
        for sign, direction in ((1, "late"), (-1, "early")):
            moved = wrong.flat_expected.roll(sign * step)
            inside = torch.ones_like(wrong.flat_mask)
            inside[:step] = inside[:step] & (sign < 0)
            inside[-step:] = inside[-step:] & (sign > 0)
            if bool(wrong.flat_mask[inside].any()) and wrong.is_close(moved, inside):
                return f"These are the right numbers, {words} too {direction}: an index is off by one."
    return ""


def _broadcast(values: torch.Tensor, expected: torch.Tensor) -> torch.Tensor | None:
    """`values` in the shape of `expected`, if NumPy's rules allow it."""
    try:
        return values.to(expected.dtype).expand(expected.shape)
    except RuntimeError:
        return None
