"""gelu(x + bias) in one kernel, its gradient in another."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("fused_bias_gelu", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.fused_bias_gelu

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


class BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        # TODO(forward): save the inputs and call the op, about 2 lines.
        raise NotImplementedError("TODO(forward)")

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # TODO(backward): grad_x by your kernel, grad_bias as its sum over the rows; None for a gradient
        #   that is not needed, about 6 lines.
        raise NotImplementedError("TODO(backward)")


def bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """gelu(x + bias) in its tanh form for CUDA tensors x of (..., columns) and bias of (columns,)."""
    return BiasGelu.apply(x, bias)
