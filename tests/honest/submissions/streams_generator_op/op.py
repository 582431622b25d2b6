"""Heat around rings."""

import contextlib
import typing as t
from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

import grader

grader.load("streams_and_devices", ["kernel.cu", "binding.cpp"], is_python_module=False)
kernels = torch.ops.streams_and_devices
Rings = Sequence[Tensor]


class NamedRange:
    """An nvtx-like range, for a look at a timeline."""

    depth = 0

    def __init__(self, label: str) -> None:
        self.label = label

    def __enter__(self) -> "NamedRange":
        NamedRange.depth += 1
        return self

    def __exit__(self, kind, value, traceback) -> bool:
        NamedRange.depth -= 1
        return False


def dense(grads: Iterable[Tensor]) -> Iterator[Tensor]:
    for grad in grads:
        yield grad.clone(memory_format=torch.contiguous_format)


def step(ring: Tensor, rate: float) -> Tensor:
    with NamedRange("step"):
        return kernels.step(ring, rate)


def step_each(rings: Rings, rate: float) -> list[Tensor]:
    return [*kernels.step_each([*rings], rate)] if len(rings) > 0 else []


def step_each_(rings: Rings, rate: float) -> Rings:
    if not rings:
        return rings
    with contextlib.ExitStack() as stack:
        stack.enter_context(NamedRange("step_each_"))
        kernels.step_each_(rings, rate)
    return rings


class Diffuse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: t.Any, rate: float, *rings: Tensor) -> t.Tuple[Tensor, ...]:
        ctx.rate = rate
        ctx.mark_dirty(*rings)
        step_each_(rings, rate)
        return rings

    @staticmethod
    @once_differentiable
    def backward(ctx: t.Any, *grads: Tensor) -> t.Tuple[t.Optional[Tensor], ...]:
        def gradients() -> Iterator[t.Optional[Tensor]]:
            yield None
            yield from step_each_(list(dense(grads)), ctx.rate)

        return tuple(gradients())


def diffuse_(rings: Rings, rate: float) -> Rings:
    if rings:
        Diffuse.apply(rate, *rings)
    return rings
