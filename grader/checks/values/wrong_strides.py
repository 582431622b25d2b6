"""Recognise an answer that is correct for operands read with the wrong strides.

A kernel that takes a wrong stride or index computes the right formula from the wrong elements. Which ones can
be told: the reference is evaluated for the elements that such a kernel reads, and compared with the answer.
"""

from __future__ import annotations

from grader.checks.values.agreement import explains
from grader.checks.values.expected import Expected, reference_with
from grader.checks.values.inputs import Inputs
from grader.checks.values.misreadings import misreadings
from grader.run.values import Output
from grader.specification import Spec


def explain(
    spec: Spec, inputs: Inputs, case: str, outputs: tuple[Output, ...], expected: tuple[Expected, ...]
) -> str:
    """A sentence about the first way of reading the inputs that explains all outputs; else ``""``."""
    got = [output.tensor for output in outputs if output.tensor is not None]
    if len(got) < len(expected):
        return ""
    operands = [(each.name, each.tensor) for each in inputs.tensors()]
    for misread in misreadings(operands, expected[0].shape):
        values = reference_with(spec, inputs, case, misread.replaced)
        if values is not None and explains(got, values, expected):
            return f"This is the answer for {misread.words}."
    return ""
