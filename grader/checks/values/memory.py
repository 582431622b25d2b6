"""Leave out, and count, the cases for which this machine's GPU has no memory."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from grader.checks.timing.contestants import INSIDE
from grader.specification import Case, Spec, TensorSpec
from grader.specification.vocabulary import far_step, tensors_of

if TYPE_CHECKING:
    from grader.checks.bench import Bench

LARGE = 1 << 30  # bytes: below, every GPU that the course is meant for has room


def within_memory(bench: Bench) -> Spec:
    """The spec of ``bench`` without the cases that do not fit; ``too_large`` counts those.

    The free memory is asked of a worker that has loaded nothing, and only where some case is large.
    """
    spec = bench.spec
    most = max(map(needed_bytes, _all_cases(spec)), default=0)
    if bench.backend != "cuda" or most <= LARGE:
        return spec
    with bench.spawn() as session:
        reply = session.run_inside(f"{INSIDE}:free_bytes", [])
        free = int(json.loads(str(reply.outputs[0].value)))
    return fitting(spec, free) if most > free else spec


def fitting(spec: Spec, free_bytes: int) -> Spec:
    """``spec`` without the cases that need more than ``free_bytes``, in its parts as well."""
    cases = _possible(spec.cases, free_bytes)
    gradient = spec.gradient
    if gradient is not None:
        gradient = replace(gradient, cases=_possible(gradient.cases, free_bytes))
    parts = tuple(fitting(part, free_bytes) for part in spec.parts)
    too_large = len(spec.cases) - len(cases)
    return replace(spec, cases=cases, gradient=gradient, parts=parts, too_large=too_large)


def needed_bytes(case: Case) -> int:
    """The storage of a case's tensors on a device, and dense results as large as their elements."""
    return sum(_storage(each) + _dense(each) for each in tensors_of(case.args) if each.device != "cpu")


def _storage(given: TensorSpec) -> int:
    if given.layout == "far":
        step = far_step(given.shape[0], _itemsize(given)) + 1
        return (given.shape[0] - 1) * step * _itemsize(given) + _dense(given)
    return _dense(given) * (2 if given.layout in ("sliced", "padded", "truncated") else 1)


def _dense(given: TensorSpec) -> int:
    return math.prod(given.shape) * _itemsize(given)


def _itemsize(given: TensorSpec) -> int:
    size: int = getattr(torch, given.dtype).itemsize
    return size


def _all_cases(spec: Spec) -> list[Case]:
    gradient = spec.gradient.cases if spec.gradient is not None else ()
    return [*spec.cases, *gradient, *(case for part in spec.parts for case in _all_cases(part))]


def _possible(cases: Sequence[Case], free_bytes: int) -> tuple[Case, ...]:
    return tuple(case for case in cases if needed_bytes(case) <= free_bytes)
