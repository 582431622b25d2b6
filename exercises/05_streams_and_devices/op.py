"""One step of heat around rings: one ring, several side by side, and several in place with gradients.

A ring is a contiguous float32 or float64 tensor of any size on a CUDA device. Each cell moves by
rate * (left - 2 * cell + right). All rings of a list are on one device.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("streams_and_devices", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.streams_and_devices

Gradients = tuple[torch.Tensor | None, ...]


def step(ring: torch.Tensor, rate: float) -> torch.Tensor:
    """Part 1: the ring after one step, on the caller's stream."""
    return _ops.step(ring, rate)


def step_each(rings: Sequence[torch.Tensor], rate: float) -> list[torch.Tensor]:
    """Part 2: every ring after one step, each computed on a stream of its own."""
    return _ops.step_each(rings, rate) if rings else []  # an empty list names no device


def step_each_(rings: Sequence[torch.Tensor], rate: float) -> Sequence[torch.Tensor]:
    """Part 3: one step of every ring, in place and unknown to autograd; returns the rings."""
    if rings:
        _ops.step_each_(rings, rate)
    return rings


class Diffuse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rate: float, *rings: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.rate = rate  # a plain number may stay on ctx
        # TODO(forward): announce to autograd what changes in place, then change it, about 2 lines.
        raise NotImplementedError("TODO(forward)")
        return rings

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor) -> Gradients:
        """One gradient for each ring after the one for rate, which is a number and has none."""
        # TODO(backward): the same step on copies of the incoming gradients; None for rate, about 4 lines.
        raise NotImplementedError("TODO(backward)")


def diffuse_(rings: Sequence[torch.Tensor], rate: float) -> Sequence[torch.Tensor]:
    """Part 4: one step of every ring, in place and known to autograd; returns the rings."""
    if rings:
        Diffuse.apply(rate, *rings)
    return rings
