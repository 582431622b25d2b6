"""Layer norm over the last dimension: forward in one kernel, backward in one kernel and two sums."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("layer_norm", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.layer_norm

Gradients = tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None, None]


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
    ) -> torch.Tensor:
        # --8<-- [start:forward]
        out, mean, rstd = _ops.layer_norm(x, weight, bias, eps)
        ctx.save_for_backward(x, weight, mean, rstd)
        return out
        # --8<-- [end:forward]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        x, weight, mean, rstd = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:3]
        grad_x, grad_weight, grad_bias = _ops.layer_norm_backward(grad_out, x, weight, mean, rstd, wanted)
        return grad_x, grad_weight, grad_bias, None
        # --8<-- [end:backward]


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Normalises the rows of a CUDA x of (..., columns), then applies weight and bias of (columns,)."""
    return LayerNorm.apply(x, weight, bias, eps)
