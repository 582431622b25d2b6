"""Patterns of precision: answers with fewer correct digits than their dtype holds."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import torch

from grader.checks.outcome import Outcome
from grader.checks.values.wrong_answer import NARROW, Wrong
from grader.run.tensors import dtype_name
from grader.specification import Case
from grader.specification.vocabulary import tensors_of

NEARLY = "It is nearly right"


def low_precision(wrong: Wrong) -> str:
    """Right to fewer digits than the dtype holds.

    The gradient of a forward that is a little off is a little off, and says nothing about its arithmetic.
    """
    if not wrong.got.is_floating_point() or wrong.count < 2 or wrong.of_wrong_forward:
        return ""
    error = (wrong.flat_got - wrong.flat_expected).abs()[wrong.flat_mask]
    size = float(wrong.flat_expected.abs().max())
    if not bool(error.isfinite().all()) or not (size > 0 and math.isfinite(size)):
        return ""
    relative = float(error.max()) / size
    if wrong.got.dtype == torch.float64 and relative < 1e-5:
        return (
            "It is right to about 7 digits: float32 arithmetic (a float variable, an f suffix, expf) in a "
            "float64 kernel?"
        )
    if relative >= 1e-2:
        return ""
    said = f"{NEARLY} (largest error {relative:.1g} of the largest value): a constant with too few digits, "
    if wrong.got.dtype == torch.float32:
        return f"{said}another formula or approximation, or arithmetic in half precision?"
    return f"{said}or another formula or approximation?" if wrong.got.dtype == torch.float64 else ""


def narrow_arithmetic(wrong: Wrong) -> str:
    """Float16 or bfloat16, rounded more often than once at the end."""
    dtype = wrong.got.dtype
    if dtype not in NARROW:
        return ""
    name, unit = dtype_name(dtype), torch.finfo(dtype).eps / 2
    error = (wrong.flat_got - wrong.flat_expected).abs()[wrong.flat_mask]
    finite = wrong.flat_expected[wrong.flat_expected.isfinite()].abs()
    if not bool(error.isfinite().all()) or not bool(finite.any()):
        return ""
    # Where a result is near zero, the size of the others says what was added up in it.
    size = wrong.flat_expected.abs()[wrong.flat_mask].clamp(min=float(finite.square().mean().sqrt()))
    relative = float((error / size).max())
    # Even a sum in this type that has stopped growing keeps some of its value.
    if relative > min(0.75, (wrong.terms + ROUNDED) * unit):
        return ""
    text = (
        f"The largest error is {relative / unit:.2g} times that of one rounding to {name}, which holds "
        f"{_BITS[dtype]} significant bits. "
    )
    if wrong.terms > ROUNDED and relative > ROUNDED * unit:
        return (
            f"{text}{wrong.terms} terms are added here, and in {name} the error grows with the length of the "
            "sum: accumulate in float, and convert once, at the store."
        )
    question = f"Is a product, a factor or a partial sum kept in {name}?"
    return f"{text}{question} Compute in float, and convert at the store."


ROUNDED = 4  # roundings that an expression without a sum may have on its way
_BITS = {torch.float16: 11, torch.bfloat16: 8}


def whatever_the_dtype(first: Outcome, failures: Sequence[Outcome], cases: Collection[Case]) -> str:
    """Where float32 is nearly right, and so is float64: then the dtype is not the cause."""
    double = {case.name for case in cases if any(each.dtype == "float64" for each in tensors_of(case.args))}
    if NEARLY not in first.sentence or first.case in double:
        return ""
    for other in failures:
        if other.case in double and NEARLY in other.sentence:
            return (
                f'In "{other.case}" it is no nearer, so the dtype is not the cause: look for a constant with '
                "too few digits, or for another formula or approximation."
            )
    return ""
