"""Other values for a call that comes before a traced one, so that a kernel in Triton is compiled and tuned.

Nothing watches that call. With the same values, a submission could have a library compute there what its
kernel then only copies.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.checks.values.inputs import Drawn, Inputs, Value, draw_tensor


def other_inputs(inputs: Inputs, generator: torch.Generator) -> Inputs:
    """The same sizes, layouts and numbers, and other values in the tensors."""
    return Inputs(tuple(_other(value, generator) for value in inputs.values))


def other_cotangents(
    cotangents: Sequence[torch.Tensor | None], generator: torch.Generator
) -> list[torch.Tensor | None]:
    """Random ones, with the same strides."""
    return [None if each is None else _random(each, generator) for each in cotangents]


def _other(value: Value, generator: torch.Generator) -> Value:
    if isinstance(value, Drawn):
        return Drawn(value.spec, draw_tensor(value.spec, generator))
    if isinstance(value, list):
        return [_other(each, generator) for each in value]
    return value


def _random(given: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    steps = ((size - 1) * stride for size, stride in zip(given.shape, given.stride(), strict=True))
    drawn_as = given.dtype if given.dtype.is_complex else torch.float64
    storage = torch.randn(1 + sum(steps) if given.numel() else 0, generator=generator, dtype=drawn_as)
    return storage.to(given.dtype).as_strided(given.shape, given.stride())
