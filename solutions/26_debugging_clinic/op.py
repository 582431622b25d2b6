"""Twelve small operations on CUDA tensors. Only the last one has a gradient."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

import grader

grader.load("clinic", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.clinic


def count_above(x: Tensor, level: float) -> Tensor:
    """How many elements are above the level: an int32 scalar."""
    return _ops.count_above(x, level)


def polynomial(x: Tensor, coefficients: list[float]) -> Tensor:
    """The polynomial's value at every element; the constant term comes first, at most 8 terms."""
    return _ops.polynomial(x, coefficients)


def clip(x: Tensor, limit: Tensor) -> Tensor:
    """No element above limit, a CUDA tensor of one number."""
    return _ops.clip(x, limit)


def row_sums(x: Tensor) -> Tensor:
    """The sum of each row of a matrix with any strides."""
    return _ops.row_sums(x)


def negative(x: Tensor) -> Tensor:
    """255 - x, for a uint8 image with any strides."""
    return _ops.negative(x)


def block_sums(x: Tensor) -> Tensor:
    """The sum of every 256 elements; the last sum may have fewer."""
    return _ops.block_sums(x)


def block_maxima(x: Tensor) -> Tensor:
    """The maximum of every 256 elements; the last maximum may have fewer."""
    return _ops.block_maxima(x)


def byte_counts(x: Tensor) -> Tensor:
    """How often each of the 256 values of uint8 occurs."""
    return _ops.byte_counts(x)


def scale_rows(x: Tensor, factors: Tensor) -> Tensor:
    """Row i of a matrix times factors[i]."""
    return _ops.scale_rows(x, factors)


def normalise(x: Tensor) -> Tensor:
    """x divided by its largest magnitude."""
    return _ops.normalise(x)


def smooth(x: Tensor) -> Tensor:
    """The mean of each element and its neighbours, taken twice in a row; an end is its own neighbour."""
    return _ops.smooth(x)


# --8<-- [start:silu_forward]
class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        gate = torch.empty_like(x)
        # --8<-- [end:silu_forward]
        out = _ops.silu(x, gate)
        ctx.save_for_backward(x, gate)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> Tensor:
        x, gate = ctx.saved_tensors
        return _ops.silu_backward(grad_out, x, gate)


def silu_twice(x: Tensor) -> Tensor:
    """silu(silu(x)), as two layers of a network would."""
    return Silu.apply(Silu.apply(x))
