"""Matrix product with gradients, forward and backward by one kernel."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("naive_matmul", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.naive_matmul

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


class Matmul(torch.autograd.Function):
    @staticmethod
    def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """(m, k) @ (k, n), both dense. setup_context saves what backward needs."""
        return _ops.matmul(a, b)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        # TODO(context): save what backward reads, about 1 line.
        raise NotImplementedError("TODO(context)")

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # TODO(backward): grad_a = grad_out @ b.T and grad_b = a.T @ grad_out by your own kernel, each only
        #   if it is needed, about 8 lines.
        raise NotImplementedError("TODO(backward)")


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b for float32 or float64 CUDA matrices of any layout; an operand that is not dense is copied."""
    # TODO(dense): call Matmul on dense operands, about 1 line.
    raise NotImplementedError("TODO(dense)")
