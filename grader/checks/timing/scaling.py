"""Timed calls in other sizes: scaled by a factor, so that a small GPU has memory for them.

The largest extent is scaled, and with it every extent that equals it: tensors which share an extent still do,
and integers that index it stay within it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import torch

from grader.checks.timing.contestants import INSIDE, rehearsal
from grader.specification import Argument, Spec, Speed, TensorSpec
from grader.specification.vocabulary import tensors_of

if TYPE_CHECKING:
    from grader.checks.bench import Bench
    from grader.run.session import Session

LEAST = Fraction(1, 1024)
PLENTY = 16 << 30  # bytes: with as many free, every timed call fits
_TURNS = 4  # sets of inputs and results: two for each of two workers
_REFERENCE = 3  # inputs, result and temporaries, in double precision


@dataclass(frozen=True)
class Fitted:
    """A speed case that fits into memory; ``note`` says what was reduced, and why, or is ""."""

    speed: Speed
    note: str = ""


def scaled(args: Sequence[Argument], factor: Fraction) -> list[Argument]:
    """``args`` with their largest extent times ``factor``, at least 1."""
    largest = max((extent for each in tensors_of(args) for extent in each.shape), default=1)
    return _scaled(args, largest, max(1, round(largest * factor)))


def _scaled(args: Sequence[Argument], largest: int, wanted: int) -> list[Argument]:
    return [_resized(each, largest, wanted) for each in args]


def _resized(argument: Argument, largest: int, wanted: int) -> Argument:
    if isinstance(argument, list):
        return _scaled(argument, largest, wanted)
    if not isinstance(argument, TensorSpec):
        return argument
    shape = tuple(wanted if extent == largest else extent for extent in argument.shape)
    indexes = not argument.floating and argument.high == largest - 1
    high = wanted - 1 if indexes else argument.high
    return replace(argument, shape=shape, low=min(argument.low, high), high=high)


def shapes_text(args: Sequence[Argument]) -> str:
    """``4096 × 4096, 4096``; equal shapes are counted: ``3 × (16,777,216)``."""
    shapes = [" × ".join(f"{extent:,}" for extent in each.shape) for each in tensors_of(args)]
    if len(shapes) > 1 and len({*shapes}) == 1:
        return f"{len(shapes)} × ({shapes[0]})"
    return ", ".join(shapes)


def input_bytes(args: Sequence[Argument]) -> int:
    """What one set of inputs takes."""
    return sum(math.prod(each.shape) * getattr(torch, each.dtype).itemsize for each in tensors_of(args))


def shaped(args: Sequence[Argument]) -> list[Any]:
    """The arguments with tensors that have shape and dtype, and no memory."""
    return [_shaped(each) for each in args]


def _shaped(argument: Argument) -> Any:
    if isinstance(argument, TensorSpec):
        return torch.empty(argument.shape, dtype=getattr(torch, argument.dtype), device="meta")
    return shaped(argument) if isinstance(argument, list) else argument


def call_bytes(spec: Spec, args: Sequence[Argument]) -> int:
    """Inputs and results of one call: what the byte model says, or else twice the inputs."""
    inputs = input_bytes(args)
    return max(inputs, spec.traffic(*shaped(args))) if spec.traffic is not None else 2 * inputs


def needed_bytes(spec: Spec, args: Sequence[Argument]) -> int:
    """What timing needs at least: turns of both workers, and the reference in double precision."""
    narrowest = min((getattr(torch, each.dtype).itemsize for each in tensors_of(args)), default=8)
    each = call_bytes(spec, args)
    return _TURNS * each + _REFERENCE * each * 8 // narrowest


def fitted(bench: Bench, speed: Speed) -> Fitted:
    """``speed``, or the largest half, quarter and so on of its sizes for which the GPU has memory."""
    with bench.clean() as session:
        free = int(_answer(session, "free_bytes"))
        if free >= PLENTY:
            return Fitted(speed)
        factor = Fraction(1)
        args: Sequence[Argument] = speed.args
        while factor > LEAST and not _fits(bench, session, speed, args, free):
            factor /= 2
            args = scaled(speed.args, factor)
    if factor == 1:
        return Fitted(speed)
    note = (
        f" Timed on {shapes_text(args)} instead of {shapes_text(speed.args)}: of this GPU's memory, "
        f"{free / 2**30:.1f} GiB are free."
    )
    return Fitted(replace(speed, args=args), note)


def _fits(bench: Bench, session: Session, speed: Speed, args: Sequence[Argument], free: int) -> bool:
    """By the sum, and by trial: what the reference takes on the way is not known before."""
    if needed_bytes(bench.spec, args) > free:
        return False
    asked = rehearsal(bench.exercise.root, bench.spec, replace(speed, args=args), bench.backend)
    reply = session.run_inside(f"{INSIDE}:rehearse", [asked])
    return reply.error is None or reply.error.type != "OutOfMemoryError"


def _answer(session: Session, function: str) -> Any:
    return json.loads(str(session.run_inside(f"{INSIDE}:{function}", []).outputs[0].value))
