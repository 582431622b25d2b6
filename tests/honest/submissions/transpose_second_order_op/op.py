"""x.t() in memory."""

from typing import Any, Callable, Tuple

import torch
from torch import Tensor

import grader

grader.load("transpose", ["kernel.cu", "binding.cpp"], is_python_module=False)

_transpose: Callable[[Tensor], Tensor] = torch.ops.transpose.transpose.default


class Transpose(torch.autograd.Function):
    """Linear, so its own derivative."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return _transpose(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Tuple[Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return apply(grad.contiguous())

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor) -> Tensor:
        return apply(tangent.contiguous())

    @staticmethod
    def vmap(info: Any, in_dims: Tuple[int | None], x: Tensor) -> Tuple[Tensor, int]:
        rows = [apply(each.contiguous()) for each in x.movedim(in_dims[0], 0).unbind(0)]
        return torch.stack(rows), 0


apply = Transpose.apply


def transpose(x: Tensor) -> Tensor:
    """x.t() as dense memory, for a dense float32 or float64 CUDA matrix x."""
    return apply(x)
