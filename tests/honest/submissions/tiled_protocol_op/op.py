"""a @ b with any strides."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import torch

import grader

grader.load("tiled_matmul", ["kernel.cu", "binding.cpp"], is_python_module=False)


@runtime_checkable
class Matrix(Protocol):
    """What has a shape of two extents."""

    @property
    def shape(self) -> torch.Size: ...

    def t(self) -> torch.Tensor: ...


class _Gemm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, trans_a: bool, trans_b: bool) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        ctx.trans = trans_a, trans_b
        left = a.t() if trans_a else a
        right = b.t() if trans_b else b
        return torch.ops.tiled_matmul.matmul(left, right)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        trans_a, trans_b = ctx.trans
        if ctx.needs_input_grad[0]:
            grad_a = gemm(b, grad, trans_a=trans_b, trans_b=True) if trans_a else gemm(grad, b, trans_b=not trans_b)
        if ctx.needs_input_grad[1]:
            grad_b = gemm(grad, a, trans_a=True, trans_b=trans_a) if trans_b else gemm(a, grad, trans_a=not trans_a)
        return grad_a, grad_b, None, None


def gemm(a: Matrix, b: Matrix, *, trans_a: bool = False, trans_b: bool = False) -> torch.Tensor:
    return _Gemm.apply(a, b, trans_a, trans_b)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b for float32 or float64 CUDA matrices of any layout, without copying either."""
    return gemm(a, b)
