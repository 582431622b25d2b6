"""Given: five operations on CUDA tensors of float32 or float64, one kernel each."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("idle_lanes", ["kernel.cu", "polynomial.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.idle_lanes


def row_sums(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The sum of the first lengths[row] elements of each row: (rows, width) and (rows,) give (rows,)."""
    return _ops.row_sums(x, lengths)


class Rotate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(angle)
        return _ops.rotate(x, angle, 1.0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor, None]:
        (angle,) = ctx.saved_tensors
        return _ops.rotate(grad_out, angle, -1.0), None  # the transpose of a rotation turns back


def rotate(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Each pair of neighbours in a row of x is a point, which is rotated about the origin by its angle.

    x is (..., 2 p) and angle (..., p), in radians; x has a gradient, angle has none.
    """
    return Rotate.apply(x, angle)


def smooth(x: torch.Tensor) -> torch.Tensor:
    """The mean of each element of a vector and its four neighbours on either side; 0 beyond the ends."""
    return _ops.smooth(x)


def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    """factor * x, of any shape."""
    return _ops.scale(x, factor)


def polynomial(x: torch.Tensor, coefficients: torch.Tensor) -> torch.Tensor:
    """The sum of coefficients[k] * x ** k for every element of x, of any shape."""
    return _ops.polynomial(x, coefficients)
