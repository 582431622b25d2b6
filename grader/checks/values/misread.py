"""Recognise an answer that is right for operands read elsewhere than where their elements lie.

A kernel that takes a wrong stride or index computes the right formula from the wrong elements. Which ones can
be told: the reference is evaluated for the elements that such a kernel reads, and compared with the answer.
"""

from __future__ import annotations

import torch

from grader.checks.values.agreement import agrees, tells
from grader.checks.values.inputs import Inputs
from grader.checks.values.readings import Misread, misreadings
from grader.checks.values.truth import Expected, call_reference
from grader.errors import BrokenSpec
from grader.run.values import Output
from grader.spec import Spec


def explain(
    spec: Spec, inputs: Inputs, case: str, outputs: tuple[Output, ...], expected: tuple[Expected, ...]
) -> str:
    """A sentence about the first way of reading the inputs that explains all outputs; else ``""``."""
    got = [output.tensor for output in outputs if output.tensor is not None]
    if len(got) < len(expected):
        return ""
    operands = [(each.name, each.tensor) for each in inputs.tensors()]
    for misread in misreadings(operands, expected[0].shape):
        if _explains(misread, spec, inputs, case, got, expected):
            return f"This is the answer for {misread.words}."
    return ""


def _explains(
    misread: Misread, spec: Spec, inputs: Inputs, case: str, got: list[torch.Tensor],
    expected: tuple[Expected, ...],
) -> bool:  # fmt: skip
    copies = {name: values.clone() for name, values in misread.replaced.items()}
    try:
        values = call_reference(spec, inputs.for_reference(replaced=copies), case)
    except BrokenSpec:  # a reference may refuse what these elements say, an index past the end for one
        return False
    pairs = list(zip(got, values, expected, strict=True))
    return all(agrees(*each) for each in pairs) and any(tells(other, right) for _, other, right in pairs)
