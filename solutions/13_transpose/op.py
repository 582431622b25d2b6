"""A matrix with its rows and columns exchanged in memory, and the gradient by the same kernel."""

from typing import Any

import torch

import grader

grader.load("transpose", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.transpose


class Transpose(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """(rows, columns) to (columns, rows), both dense. Backward needs no value of x: nothing is saved."""
        return _ops.transpose(x)

    @staticmethod
    def backward(ctx: Any, grad_out: torch.Tensor) -> torch.Tensor:
        # --8<-- [start:backward]
        return Transpose.apply(grad_out.contiguous())  # differentiable itself
        # --8<-- [end:backward]


def transpose(x: torch.Tensor) -> torch.Tensor:
    """x.t() as dense memory, for a dense float32 or float64 CUDA matrix x."""
    return Transpose.apply(x)
