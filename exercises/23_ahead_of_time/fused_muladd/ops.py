"""a * b + c in one kernel, with gradients."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

_ops = torch.ops.fused_muladd

Gradients = tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)  # not c: no gradient depends on its values
        return _ops.muladd(a, b, c)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        a, b = ctx.saved_tensors
        grad_out = grad_out.contiguous()  # our kernel reads dense memory
        needs_a, needs_b, needs_c = ctx.needs_input_grad
        grad_a = _ops.multiply(grad_out, b) if needs_a else None
        grad_b = _ops.multiply(grad_out, a) if needs_b else None
        return grad_a, grad_b, grad_out if needs_c else None


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c for contiguous float32 or float64 CUDA tensors of one shape and dtype."""
    return MulAdd.apply(a, b, c)
