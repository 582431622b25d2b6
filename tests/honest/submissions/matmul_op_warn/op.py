import operator
import warnings
from functools import reduce
from typing import Any

import torch

import grader

grader.load("naive_matmul", ["kernel.cu", "binding.cpp"], is_python_module=False)


class PerformanceWarning(UserWarning):
    """An operand was copied."""


def dense(matrix: torch.Tensor, name: str = "") -> torch.Tensor:
    if matrix.is_contiguous():
        return matrix
    elements = reduce(operator.mul, matrix.shape, 1)
    if name and elements > 1 << 30:
        warnings.warn(f"{name} is copied: {elements} elements", PerformanceWarning, stacklevel=3)
    return matrix.contiguous()


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(left, right)
        return torch.ops.naive_matmul.matmul(left, right)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        left, right = ctx.saved_tensors
        need_left, need_right = ctx.needs_input_grad
        gradient = dense(gradient)
        return (
            torch.ops.naive_matmul.matmul(gradient, dense(right.t())) if need_left else None,
            torch.ops.naive_matmul.matmul(dense(left.t()), gradient) if need_right else None,
        )


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return Product.apply(dense(a, "a"), dense(b, "b"))
