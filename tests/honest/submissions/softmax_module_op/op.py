"""Softmax over the last dimension."""

import torch
from torch import nn, Tensor
from torch.autograd.function import once_differentiable

import grader

__all__ = ("Softmax", "softmax")
__version__ = "1.0"
VERSION = tuple(int(part) for part in __version__.split("."))

grader.load("row_softmax", ["kernel.cu", "binding.cpp"], is_python_module=False)


class _Softmax(torch.autograd.Function):
    generate_vmap_rule = False

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y: Tensor = torch.ops.row_softmax.softmax(x)
        ctx.save_for_backward(y.detach() if y.requires_grad else y)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_y: Tensor) -> Tensor:
        y = ctx.saved_tensors[0]
        return torch.ops.row_softmax.softmax_backward(grad_y, y)


class Softmax(nn.Module):
    dim: int

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        if dim != -1:
            raise NotImplementedError("only the last dimension")
        self.dim = dim

    @property
    def is_last(self) -> bool:
        return self.dim == -1

    def forward(self, x: Tensor) -> Tensor:
        return softmax(x)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}(dim={self.dim})"


def softmax(x: Tensor) -> Tensor:
    return _Softmax.apply(x)
