"""Squared distances between two sets of points, as an operator that every part of PyTorch can use."""

from typing import Any

import torch

import grader

grader.load("pairwise", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.pairwise

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]
InDims = tuple[int | None, ...]


def sqdist_fake(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # TODO(fake): return a tensor like the distances of x and y, without computing them, about 1 line.
    raise NotImplementedError("TODO(fake)")


def sqdist_backward_fake(grad: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # TODO(backward_fake): return a tensor like the gradient of x, without computing it, about 1 line.
    raise NotImplementedError("TODO(backward_fake)")


class SqDist(torch.autograd.Function):
    """The derivative: torch.func uses the class, the dispatcher its two methods."""

    generate_vmap_rule = True  # vmap looks through the class to the operator, which has a rule

    @staticmethod
    def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return _ops.sqdist(x, y)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
        # TODO(setup_context): save the tensors that backward reads, about 2 lines.
        raise NotImplementedError("TODO(setup_context)")

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Gradients:
        # TODO(backward): grad_x by sqdist_backward, grad_y by the same operator; None for a gradient that
        #   is not needed, about 7 lines.
        raise NotImplementedError("TODO(backward)")


def batch_first(tensor: torch.Tensor, dim: int | None, size: int) -> torch.Tensor:
    """vmap's dimension in front; a tensor without one is repeated `size` times, by a stride of 0."""
    # TODO(batch_first): move dimension dim to the front; if dim is None, a view with a new first
    #   dimension of this size, about 1 line.
    raise NotImplementedError("TODO(batch_first)")


def mapped(
    operator: Any, info: Any, in_dims: InDims, args: tuple[torch.Tensor, ...]
) -> tuple[torch.Tensor, int]:
    """The rule of both operators: any leading dimensions are a batch to them, so vmap's is one more."""
    # TODO(vmap): put vmap's dimension in front in all arguments, call the operator once, and say where
    #   its result has it, about 2 lines.
    raise NotImplementedError("TODO(vmap)")


def sqdist_vmap(info: Any, in_dims: InDims, *args: torch.Tensor) -> tuple[torch.Tensor, int]:
    return mapped(_ops.sqdist, info, in_dims, args)


def sqdist_backward_vmap(info: Any, in_dims: InDims, *args: torch.Tensor) -> tuple[torch.Tensor, int]:
    return mapped(_ops.sqdist_backward, info, in_dims, args)


# TODO(registrations): register the five functions above: two fakes, the derivative of sqdist, two
#   rules for vmap, about 5 lines.
# So far PyTorch knows the kernels, and nothing else about them.


def sqdist(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The squared distances of the points of x, (..., n, d), to those of y, (..., m, d): (..., n, m)."""
    return SqDist.apply(x, y)
