"""The softmax over the last dimension, and its gradient, each in one kernel."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("row_softmax", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.row_softmax


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        # TODO(forward): the result, with what backward needs of it saved, about 3 lines.
        raise NotImplementedError("TODO(forward)")

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_y: torch.Tensor) -> torch.Tensor:
        # TODO(backward): the gradient of x, by the kernel, about 2 lines.
        raise NotImplementedError("TODO(backward)")


def softmax(x: torch.Tensor) -> torch.Tensor:
    """exp(x) over the sum of exp(x) along the last dimension, for a float32 or float64 CUDA tensor."""
    return Softmax.apply(x)
