"""The sizes and dtypes that are benchmarked: those of SPEED, scaled, and the dtypes that CASES ask for.

A size is a factor of the largest extent of SPEED's tensors. Every extent that equals it is scaled with it, so
that tensors which share an extent still do; integers that index it stay within it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import torch

from grader.specification import Argument, Case, Spec, TensorSpec
from grader.specification.vocabulary import tensors_of

LEAST, MOST = Fraction(1, 1024), Fraction(64)
FACTORS = (Fraction(1, 16), Fraction(1, 4), Fraction(1))  # what is measured where nothing else is asked for
SETS = 2  # of inputs and results that a turn needs at least


@dataclass(frozen=True)
class Workload:
    """The arguments of one benchmarked call. ``dtype`` names those of its floating tensors."""

    args: tuple[Argument, ...]
    dtype: str
    factor: Fraction

    @property
    def shapes(self) -> str:
        """``4096 × 4096, 4096``; equal shapes are counted: ``3 × (16,777,216)``."""
        shapes = [" × ".join(f"{extent:,}" for extent in each.shape) for each in tensors_of(self.args)]
        if len(shapes) > 1 and len({*shapes}) == 1:
            return f"{len(shapes)} × ({shapes[0]})"
        return ", ".join(shapes)

    @property
    def name(self) -> str:
        return f"{self.shapes} · {self.dtype}"

    @property
    def input_bytes(self) -> int:
        return sum(
            math.prod(each.shape) * getattr(torch, each.dtype).itemsize for each in tensors_of(self.args)
        )

    @property
    def arithmetic_dtype(self) -> str:
        """The dtype whose matrix product shows how fast the device computes; "" without a floating tensor."""
        return next((each.dtype for each in tensors_of(self.args) if _is_real(each)), "")

    def shaped(self) -> list[Any]:
        """The arguments with tensors that have shape and dtype, and no memory."""
        return [_shaped(each) for each in self.args]


def least_traffic(spec: Spec, workload: Workload) -> int:
    """Bytes that the operation has to move, by the byte model of its spec."""
    assert spec.traffic is not None
    return spec.traffic(*workload.shaped())


def operations(spec: Spec, workload: Workload) -> int:
    """Arithmetic operations by the spec's model; 0 without one."""
    return spec.flops(*workload.shaped()) if spec.flops is not None else 0


def timed(spec: Spec, factor: Fraction = Fraction(1), dtypes: Sequence[str] = ()) -> Workload:
    """SPEED's arguments with the largest extent times ``factor``, and ``dtypes``, one for each tensor."""
    assert spec.speed is not None
    args = list(spec.speed.args)
    largest = max((extent for each in tensors_of(args) for extent in each.shape), default=1)
    scaled = max(1, round(largest * factor))
    chosen = iter(dtypes or [each.dtype for each in tensors_of(args)])
    changed = tuple(_changed(each, largest, scaled, chosen) for each in args)
    return Workload(changed, _dtype_name(changed), factor)


def dtypes_of(spec: Spec) -> dict[str, tuple[str, ...]]:
    """For each name of dtypes that CASES ask for, SPEED's own first: the dtype of each tensor.

    Cases that are called otherwise do not count: with other kinds of tensors, on the CPU, under autocast.
    """
    assert spec.speed is not None
    own = list(tensors_of(spec.speed.args))
    found = {_dtype_name(spec.speed.args): tuple(each.dtype for each in own)}
    for case in spec.cases:
        tensors = list(tensors_of(case.args))
        if _is_like(case, tensors, own):
            found.setdefault(_dtype_name(case.args), tuple(each.dtype for each in tensors))
    return found


def needed_bytes(spec: Spec, workload: Workload) -> int:
    """What the turns of one contender need at least: some sets of inputs, and their results."""
    result = max(0, least_traffic(spec, workload) - workload.input_bytes)
    return SETS * (workload.input_bytes + result)


def fitting(
    spec: Spec, factors: Sequence[Fraction], dtypes: Sequence[str], free_bytes: int
) -> list[Workload]:
    """Those sizes of ``factors`` that fit into a quarter of the free memory; if none does, one that fits.

    A quarter: a contender may need as much again for temporaries, and the reference computes in double.
    """
    chosen = [timed(spec, factor, dtypes) for factor in factors]
    found = [each for each in chosen if needed_bytes(spec, each) <= free_bytes // 4]
    if found:
        return found
    factor = min(factors)
    while needed_bytes(spec, timed(spec, factor, dtypes)) > free_bytes // 4 and factor > LEAST:
        factor /= 2
    return [timed(spec, factor, dtypes)]


def _is_like(case: Case, tensors: Sequence[TensorSpec], own: Sequence[TensorSpec]) -> bool:
    return (
        case.autocast is None
        and len(tensors) == len(own)
        and all(
            each.kind == "tensor" and each.device != "cpu" and each.floating == mine.floating
            for each, mine in zip(tensors, own, strict=True)
        )
    )


def _dtype_name(args: Sequence[Argument]) -> str:
    """The dtypes of the floating tensors, each once; without one, of all tensors."""
    tensors = list(tensors_of(args))
    named = [each.dtype for each in tensors if each.floating] or [each.dtype for each in tensors]
    return ", ".join(dict.fromkeys(named))


def _changed(argument: Argument, largest: int, scaled: int, dtypes: Iterator[str]) -> Argument:
    if isinstance(argument, list):
        return [_changed(each, largest, scaled, dtypes) for each in argument]
    if not isinstance(argument, TensorSpec):
        return argument
    shape = tuple(scaled if extent == largest else extent for extent in argument.shape)
    indexes = not argument.floating and argument.high == largest - 1
    high = scaled - 1 if indexes else argument.high
    return replace(argument, shape=shape, dtype=next(dtypes), low=min(argument.low, high), high=high)


def _is_real(given: TensorSpec) -> bool:
    return given.floating and not given.dtype.startswith("complex")


def _shaped(argument: Argument) -> Any:
    if isinstance(argument, TensorSpec):
        return torch.empty(argument.shape, dtype=getattr(torch, argument.dtype), device="meta")
    return [_shaped(each) for each in argument] if isinstance(argument, list) else argument
