"""Check what timed calls returned: sampled elements compared with the reference's, on the device."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.checks.values.compare import compare_values
from grader.checks.values.expected import Expected, expected_outputs
from grader.checks.values.inputs import Drawn, Inputs, Value
from grader.course.exercise import read_exercise
from grader.specification import Argument, Spec, TensorSpec, load_spec

_CASE = "the timed one"


def first_difference(
    exercise: Path,
    given: Sequence[Any],
    shapes: Sequence[Sequence[Any]],
    got: Sequence[Tensor],
    places: Sequence[Tensor],
) -> dict[str, Any] | None:
    """What differs first from the reference for the arguments ``given``: what, expected and got; or None.

    ``shapes`` has shape, dtype and device of each result, ``got`` its elements at the flat ``places``.
    """  # fmt: skip
    expected = reference_answers(exercise, given)
    if len(shapes) != len(expected):
        return _difference("results", str(len(expected)), str(len(shapes)))
    for (shape, dtype, _), elements, at, wanted in zip(shapes, got, places, expected, strict=True):
        if tuple(shape) != wanted.shape:
            return _difference("shape", str(wanted.shape), str(tuple(shape)))
        if dtype != str(wanted.dtype):
            return _difference("dtype", str(wanted.dtype), dtype)
        at = at.to(wanted.values.device)
        right = wanted.values.reshape(-1)[at]
        mismatch = compare_values(elements.to(right.device), right, wanted.tolerance)
        if mismatch is not None and mismatch.index is not None:
            flat = at[mismatch.index[0]].cpu()
            index = [int(each) for each in torch.unravel_index(flat, wanted.shape)]
            share = mismatch.count / at.numel()
            return {**_difference("value", mismatch.expected, mismatch.got), "index": index, "share": share}
    return None


def reference_answers(exercise: Path, given: Sequence[Any]) -> tuple[Expected, ...]:
    """What the exercise's reference returns for the arguments ``given``, on their device."""
    spec = _spec(exercise)
    assert spec.speed is not None
    inputs = Inputs(tuple(map(_value, spec.speed.args, given)))
    return expected_outputs(spec, inputs, _CASE)


@functools.cache
def _spec(exercise: Path) -> Spec:
    return load_spec(read_exercise(exercise))


def _value(argument: Argument, value: Any) -> Value:
    if isinstance(argument, TensorSpec):
        return Drawn(argument, value)
    if isinstance(argument, list):
        return [_value(each, given) for each, given in zip(argument, value, strict=True)]
    return argument


def _difference(what: str, expected: str, got: str) -> dict[str, Any]:
    return {"what": what, "expected": expected, "got": got, "index": None, "share": 1.0}
