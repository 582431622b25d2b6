"""relu(x + y) in one pass over memory, 16 bytes at a time, and its gradient by the same kernel."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("vectorized_access", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.vectorized_access

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


class AddRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        # TODO(forward): call the op and save what backward needs: one tensor, about 3 lines.
        raise NotImplementedError("TODO(forward)")

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # TODO(backward): the gradients of x and of y, by one launch; None for a gradient that is not
        #   needed, about 3 lines.
        raise NotImplementedError("TODO(backward)")


def add_relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """relu(x + y) for CUDA tensors of one shape and one dtype: float16, float32 or float64."""
    return AddRelu.apply(x, y)
