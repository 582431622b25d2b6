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
        # --8<-- [start:forward]
        out = _ops.add_relu(x, y)
        ctx.save_for_backward(out)  # says where relu let the sum pass; x and y need not be kept
        return out
        # --8<-- [end:forward]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        (out,) = ctx.saved_tensors
        grad = _ops.relu_backward(grad_out.contiguous(), out)  # of x + y, and so of x and of y
        return grad if ctx.needs_input_grad[0] else None, grad if ctx.needs_input_grad[1] else None
        # --8<-- [end:backward]


def add_relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """relu(x + y) for CUDA tensors of one shape and one dtype: float16, float32 or float64."""
    return AddRelu.apply(x, y)
