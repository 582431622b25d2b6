"""Recognise the answer of another formula: one that the spec lists as easily confused, or a small
polynomial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

import torch

from grader.checks.values.agreement import agrees, explains, tells
from grader.checks.values.expected import Expected, call_reference
from grader.checks.values.inputs import Inputs
from grader.run.values import Output
from grader.specification import Spec
from grader.support.errors import BrokenSpec

DEGREE = 2  # of the products that are tried
LARGEST_COEFFICIENT = 4
ROUND = 1e-3  # a coefficient that is this near to a whole number may stand for it
POINTS = 3  # elements for every coefficient, at the least
MOST = 1 << 12  # elements that a fit looks at

Term = tuple[str, torch.Tensor]


def explain(
    spec: Spec, inputs: Inputs, case: str, outputs: Sequence[Output], expected: Sequence[Expected]
) -> str:
    """A sentence about the formula that gives these answers; ``""`` if it is none of these."""
    got = [output.tensor for output in outputs if output.tensor is not None]
    if len(got) < len(expected):
        return ""
    for words, formula in spec.confused.items():
        try:
            values = call_reference(replace(spec, reference=formula), inputs.for_reference(), case)
        except BrokenSpec:  # a formula need not hold for every case
            continue
        if explains(got, values, expected):
            return f"The values fit this mistake: {words}."
    return _polynomial(inputs, got[0], expected[0]) if len(expected) == 1 else ""


def _polynomial(inputs: Inputs, got: torch.Tensor, expected: Expected) -> str:
    """The answer as a sum of products of the inputs with small whole coefficients."""
    if not got.is_floating_point() or not bool(got.isfinite().all()):
        return ""
    terms = list(_terms(inputs, expected.values.shape))
    if not terms or got.numel() < POINTS * len(terms):
        return ""
    columns = torch.stack([values.reshape(-1) for _, values in terms], dim=1)[:MOST]
    if not bool(columns.isfinite().all()):
        return ""
    solution = torch.linalg.lstsq(columns, got.reshape(-1, 1).to(torch.float64)[:MOST]).solution.reshape(-1)
    whole = solution.round()
    if bool(((solution - whole).abs() > ROUND).any()) or float(whole.abs().max()) > LARGEST_COEFFICIENT:
        return ""
    answer = sum((factor * values for factor, (_, values) in zip(whole, terms, strict=True)), torch.zeros(()))
    if not bool(whole.any()) or not agrees(got, answer, expected) or not tells(answer, expected):
        return ""
    names = [name for name, _ in terms]
    return f"The result is {_written([int(each) for each in whole], names)}."


def _terms(inputs: Inputs, shape: torch.Size) -> Iterator[Term]:
    """The inputs and their products; none where an input is no float, or not of the result's shape."""
    tensors = inputs.tensors()
    if len(tensors) < 2 or len(tensors) > 4:
        return
    if any(not each.seen.is_floating_point() or each.seen.shape != shape for each in tensors):
        return
    wide = [(each.name, each.seen.to(torch.float64)) for each in tensors]
    yield from wide
    for (one, values), (other, more) in combinations_with_replacement(wide, DEGREE):
        yield f"{one} * {other}", values * more


def _written(factors: Sequence[int], names: Sequence[str]) -> str:
    """``-2 * c + a * b``."""
    text = ""
    for factor, name in zip(factors, names, strict=True):
        if factor:
            sign = "-" if factor < 0 else "+"
            size = f"{abs(factor)} * {name}" if abs(factor) > 1 else name
            text += f" {sign} {size}"
    return text.removeprefix(" + ") if text.startswith(" + ") else text.replace(" - ", "-", 1)
