from __future__ import annotations

import typing as t

import torch
import torch.nn as nn

import grader

grader.load("row_softmax", ["kernel.cu", "binding.cpp"], is_python_module=False)

_T = t.TypeVar("_T", bound=torch.Tensor)


def _make() -> type[torch.autograd.Function]:
    operators = torch.ops.row_softmax

    class RowSoftmax(torch.autograd.Function):
        @staticmethod
        def forward(ctx: t.Any, x: torch.Tensor) -> torch.Tensor:
            y = operators.softmax(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: t.Any, grad_y: torch.Tensor) -> torch.Tensor:
            (y,) = ctx.saved_tensors
            return operators.softmax_backward(grad_y, y)

    return RowSoftmax


class Softmax(nn.Module):
    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.function = _make()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function.apply(x)


_softmax: t.Final = Softmax()


def softmax(x: torch.Tensor) -> torch.Tensor:
    return _softmax(x)
