"""a * b + c in one kernel, with gradients."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("fused_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.fused_muladd

Gradients = tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        # TODO(forward): save what backward reads (no more) and call the op, about 2 lines.
        raise NotImplementedError("TODO(forward)")

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # TODO(backward): the gradients of a, b and c from grad_out, each only if it is needed, about 6
        #   lines.
        raise NotImplementedError("TODO(backward)")


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c for contiguous float32 or float64 CUDA tensors of one shape and dtype."""
    return MulAdd.apply(a, b, c)
