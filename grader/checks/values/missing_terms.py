"""Answers that are correct for part of an input: the remaining terms never reached the sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from grader.checks.values.compare import compare
from grader.checks.values.expected import Expected, reference_with
from grader.checks.values.inputs import WIDER, Inputs
from grader.run.values import Output
from grader.specification import Spec

STEPS = (2, 4, 8, 16, 32)
BLOCKS = (32, 64, 128, 256, 512, 1024)  # threads of a warp, and of usual blocks
MOST = 1 << 18  # elements of an input: a larger one takes the reference too long
LEAST = 4  # results, fewer of which may agree by coincidence


def explain(
    spec: Spec, inputs: Inputs, case: str, outputs: tuple[Output, ...], expected: tuple[Expected, ...]
) -> str:
    """That `outputs` is the answer for an input whose other elements, along its last dimension, are 0."""
    if (
        any(output.tensor is None for output in outputs)
        or min(each.values.numel() for each in expected) < LEAST
    ):
        return ""
    for drawn in inputs.tensors():
        tensor = drawn.tensor
        reduced = tensor.ndim > 0 and all(each.values.numel() < tensor.numel() for each in expected)
        if not reduced or not tensor.is_floating_point() or tensor.numel() > MOST:
            continue
        if bool((tensor == tensor[..., :1]).all()):
            continue  # of equal terms nobody can tell which are missing
        for kept, words in _parts(tensor.shape[-1], "column" if tensor.ndim > 1 else "element"):
            wide = tensor.to(WIDER.get(tensor.dtype, tensor.dtype), copy=True)
            wide[..., ~kept] = 0
            if _explains(wide, drawn.name, spec, inputs, case, outputs, expected):
                return f"This is the answer for {words} of `{drawn.name}`: the other terms are left out."
    return ""


def _parts(length: int, word: str) -> Iterator[tuple[torch.Tensor, str]]:
    """Which columns, or elements of a vector, a mistake may leave, and how that is said."""
    place = torch.arange(length)
    for step in STEPS:
        if step < length:
            yield place % step == 0, f"every {step}{'nd' if step in (2, 32) else 'th'} {word}"
    for number in dict.fromkeys((*BLOCKS, length // 2, length - 1)):
        if 0 < number < length:
            yield place < number, f"the first {number} of {length} {word}s"


def _explains(
    part: torch.Tensor, name: str, spec: Spec, inputs: Inputs, case: str, outputs: tuple[Output, ...],
    expected: tuple[Expected, ...],
) -> bool:  # fmt: skip
    values = reference_with(spec, inputs, case, {name: part})
    if values is None:
        return False
    wanted = (replace(each, values=there) for each, there in zip(expected, values, strict=True))
    return all(compare(output, each) is None for output, each in zip(outputs, wanted, strict=True))
