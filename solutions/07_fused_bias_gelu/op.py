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
        # --8<-- [start:forward]
        ctx.save_for_backward(x, bias)
        return _ops.bias_gelu(x, bias)
        # --8<-- [end:forward]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        x, bias = ctx.saved_tensors
        grad_x = _ops.bias_gelu_backward(grad_out, x, bias)
        grad_bias = None
        if ctx.needs_input_grad[1]:
            grad_bias = grad_x.sum_to_size(bias.shape)  # broadcast forward, so summed back
        return grad_x if ctx.needs_input_grad[0] else None, grad_bias
        # --8<-- [end:backward]


def bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """gelu(x + bias) in its tanh form for CUDA tensors x of (..., columns) and bias of (columns,)."""
    return BiasGelu.apply(x, bias)
