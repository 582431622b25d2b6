"""|a - b| of two matrices with any strides, without a copy of either, and its gradients."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("strides_and_indices", ["kernel.cu", "accessors.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.strides_and_indices
_WAYS = {"pointers": _ops.by_pointers, "accessors": _ops.by_accessors}

Gradients = tuple[torch.Tensor | None, torch.Tensor | None, None]


class Difference(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, by: str) -> torch.Tensor:
        ctx.save_for_backward(a, b)  # views are saved as views: no memory but that of their base
        return _WAYS[by](a, b)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        a, b = ctx.saved_tensors
        needs_a, needs_b, _ = ctx.needs_input_grad
        grad_a = _ops.slope(a, b, grad_out) if needs_a else None  # grad_out with its own strides
        grad_b = _ops.slope(b, a, grad_out) if needs_b else None  # |a - b| = |b - a|
        return grad_a, grad_b, None
        # --8<-- [end:backward]


def difference(a: torch.Tensor, b: torch.Tensor, by: str = "pointers") -> torch.Tensor:
    """|a - b| as dense memory, for uint8, float32 or float64 CUDA matrices of one shape and dtype.

    `by` names the kernel: "pointers" or "accessors". Neither copies an operand, whatever its strides.
    """
    return Difference.apply(a, b, by)
