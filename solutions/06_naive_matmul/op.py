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
        # --8<-- [start:context]
        ctx.save_for_backward(*inputs)
        # --8<-- [end:context]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        a, b = ctx.saved_tensors
        grad_out = grad_out.contiguous()
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = _ops.matmul(grad_out, b.t().contiguous())  # (m, n) @ (n, k)
        if ctx.needs_input_grad[1]:
            grad_b = _ops.matmul(a.t().contiguous(), grad_out)  # (k, m) @ (m, n)
        return grad_a, grad_b
        # --8<-- [end:backward]


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b for float32 or float64 CUDA matrices of any layout; an operand that is not dense is copied."""
    # --8<-- [start:dense]
    return Matmul.apply(a.contiguous(), b.contiguous())
    # --8<-- [end:dense]
