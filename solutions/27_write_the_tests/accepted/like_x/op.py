"""softmax(x + bias): recomputed in backward instead of saved; results have the strides of x."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("bias_softmax", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.bias_softmax

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


class BiasSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, bias)
        return torch.empty_like(x).copy_(_ops.softmax(x, bias))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        x, bias = ctx.saved_tensors
        grad_x = _ops.softmax_backward(grad_out, _ops.softmax(x, bias))
        rows = tuple(range(x.dim() - 1))
        if not ctx.needs_input_grad[1]:
            return grad_x, None
        grad_bias = grad_x.sum(rows) if rows else grad_x
        return (grad_x if ctx.needs_input_grad[0] else None), grad_bias


def bias_softmax(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return BiasSoftmax.apply(x, bias)
