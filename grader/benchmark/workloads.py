"""The sizes and dtypes that are benchmarked: those of SPEED, scaled, and the dtypes that CASES ask for.

A size is a factor of the largest extent of SPEED's tensors (`grader.checks.timing.scaling`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from grader.checks.timing.scaling import LEAST, call_bytes, input_bytes, scaled, shaped, shapes_text
from grader.specification import Argument, Case, Spec, TensorSpec
from grader.specification.vocabulary import tensors_of

MOST = Fraction(64)
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
        return shapes_text(self.args)

    @property
    def name(self) -> str:
        return f"{self.shapes} · {self.dtype}"

    @property
    def input_bytes(self) -> int:
        return input_bytes(self.args)

    @property
    def arithmetic_dtype(self) -> str:
        """The dtype whose matrix product shows how fast the device computes; "" without a floating tensor."""
        return next((each.dtype for each in tensors_of(self.args) if _is_real(each)), "")

    def shaped(self) -> list[Any]:
        """The arguments with tensors that have shape and dtype, and no memory."""
        return shaped(self.args)


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
    chosen = iter(dtypes or [each.dtype for each in tensors_of(spec.speed.args)])
    args = tuple(_with_dtypes(scaled(spec.speed.args, factor), chosen))
    return Workload(args, _dtype_name(args), factor)


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
    return SETS * call_bytes(spec, workload.args)


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


def _with_dtypes(args: Sequence[Argument], dtypes: Iterator[str]) -> list[Argument]:
    return [_with_dtype(each, dtypes) for each in args]


def _with_dtype(argument: Argument, dtypes: Iterator[str]) -> Argument:
    if isinstance(argument, list):
        return _with_dtypes(argument, dtypes)
    return replace(argument, dtype=next(dtypes)) if isinstance(argument, TensorSpec) else argument


def _is_real(given: TensorSpec) -> bool:
    return given.floating and not given.dtype.startswith("complex")
