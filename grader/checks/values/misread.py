"""Recognise an answer that is right for an operand read with other strides than its own.

A kernel that ignores strides computes the right formula from the wrong elements. Which ones can be told: the
reference is evaluated for the elements that such a kernel reads, and compared with the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import torch

from grader.checks.values.compare import compare
from grader.checks.values.inputs import WIDER, Drawn, Inputs
from grader.checks.values.truth import Expected, call_reference
from grader.checks.values.wrong import MANY
from grader.errors import BrokenSpec
from grader.run.values import Output
from grader.spec import Spec

Strides: TypeAlias = tuple[int, ...]


def explain(
    spec: Spec, inputs: Inputs, case: str, outputs: tuple[Output, ...], expected: tuple[Expected, ...]
) -> str:
    """A sentence about the first input that explains all outputs when it is read with other strides; else
    ``""``.
    """
    if (
        any(output.tensor is None for output in outputs)
        or max(each.values.numel() for each in expected) < MANY
    ):
        return ""
    for each in inputs.tensors():
        for strides, words in _mistakes(each, inputs):
            misread = _read_with(each.tensor, strides)
            if misread is not None and _explains(misread, each, spec, inputs, case, outputs, expected):
                own = each.tensor.stride()
                return f"This is the answer for {each.name} read {words}; its strides are {own}."
    return ""


def _mistakes(drawn: Drawn, inputs: Inputs) -> Iterator[tuple[Strides, str]]:
    """Strides that a kernel may assume of a tensor, and how that is said."""
    tensor, own = drawn.tensor, drawn.tensor.stride()
    dense = torch.empty(tensor.shape, device="meta").stride()
    assumed: list[tuple[Strides, str]] = [(dense, "as dense memory")]
    if tensor.ndim > 1:
        assumed.append(((*own[:-1], 1), "with a stride of 1 along its last dimension"))
    for other in inputs.tensors():
        if other.name != drawn.name and other.tensor.shape == tensor.shape:
            assumed.append((other.tensor.stride(), f"with the strides of {other.name}"))
    return ((strides, words) for strides, words in assumed if strides != own)


def _read_with(tensor: torch.Tensor, strides: Strides) -> torch.Tensor | None:
    """The elements that `strides` lead to; None where that is outside of the tensor's memory."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, strides, strict=True))
    held = tensor.untyped_storage().nbytes() // tensor.element_size() - int(tensor.storage_offset())
    return tensor.as_strided(tensor.shape, strides) if tensor.numel() and last < held else None


def _explains(
    misread: torch.Tensor, drawn: Drawn, spec: Spec, inputs: Inputs, case: str, outputs: tuple[Output, ...],
    expected: tuple[Expected, ...],
) -> bool:  # fmt: skip
    wide = misread.to(WIDER.get(misread.dtype, misread.dtype), copy=True)
    try:
        values = call_reference(spec, inputs.for_reference(replaced={drawn.name: wide}), case)
    except BrokenSpec:  # a reference may refuse what these elements say, an index past the end for one
        return False
    wanted = (replace(each, values=there) for each, there in zip(expected, values, strict=True))
    return all(compare(output, each) is None for output, each in zip(outputs, wanted, strict=True))
