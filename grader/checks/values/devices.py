"""Leave out, and count, the cases for devices that this machine lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import torch

from grader.specification import Argument, Case, Refusal, Spec
from grader.specification.vocabulary import TensorSpec
from grader.support.backends import Backend

_Call = TypeVar("_Call", Case, Refusal)
_SIMULATED = 2


def present(backend: Backend) -> int:
    """How many GPUs a submission finds here."""
    return torch.cuda.device_count() if backend == "cuda" else _SIMULATED


def within(spec: Spec, devices: int) -> Spec:
    """``spec`` without the calls that need more than ``devices`` GPUs; ``left_out`` counts those."""
    cases, refusals = _possible(spec.cases, devices), _possible(spec.refusals, devices)
    gradient = spec.gradient
    if gradient is not None:
        gradient = replace(gradient, cases=_possible(gradient.cases, devices))
    return replace(
        spec,
        cases=cases,
        refusals=refusals,
        gradient=gradient,
        parts=tuple(within(part, devices) for part in spec.parts),
        left_out=len(spec.cases) + len(spec.refusals) - len(cases) - len(refusals),
    )


def _possible(calls: Sequence[_Call], devices: int) -> tuple[_Call, ...]:
    return tuple(call for call in calls if _highest_device(call) < devices)


def _highest_device(call: Case | Refusal) -> int:
    current = call.device if isinstance(call, Case) else 0
    return max([current, *_devices(call.args)])


def _devices(args: Sequence[Argument]) -> Iterator[int]:
    for arg in args:
        if isinstance(arg, TensorSpec) and arg.device.startswith("cuda:"):
            yield int(arg.device.removeprefix("cuda:"))
        elif isinstance(arg, list):
            yield from _devices(arg)
