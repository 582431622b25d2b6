"""Squared distances between two sets of points, as an operator that every part of PyTorch can use."""

from typing import Any

import torch

import grader

grader.load("pairwise", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.pairwise

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]
InDims = tuple[int | None, ...]


def sqdist_fake(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # --8<-- [start:fake]
    return x.new_empty((*x.shape[:-1], y.shape[-2]))
    # --8<-- [end:fake]


def sqdist_backward_fake(grad: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # --8<-- [start:backward_fake]
    return x.new_empty(x.shape)
    # --8<-- [end:backward_fake]


class SqDist(torch.autograd.Function):
    """The derivative: torch.func uses the class, the dispatcher its two methods."""

    generate_vmap_rule = True  # vmap looks through the class to the operator, which has a rule

    @staticmethod
    def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return _ops.sqdist(x, y)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
        # --8<-- [start:setup_context]
        x, y = inputs
        ctx.save_for_backward(x, y)
        # --8<-- [end:setup_context]

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        x, y = ctx.saved_tensors
        grad_x = grad_y = None
        if ctx.needs_input_grad[0]:
            grad_x = _ops.sqdist_backward(grad, x, y)
        if ctx.needs_input_grad[1]:
            grad_y = _ops.sqdist_backward(grad.mT, y, x)  # a distance is the same with x and y exchanged
        return grad_x, grad_y
        # --8<-- [end:backward]


def batch_first(tensor: torch.Tensor, dim: int | None, size: int) -> torch.Tensor:
    """vmap's dimension in front; a tensor without one is repeated `size` times, by a stride of 0."""
    # --8<-- [start:batch_first]
    return tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
    # --8<-- [end:batch_first]


def mapped(
    operator: Any, info: Any, in_dims: InDims, args: tuple[torch.Tensor, ...]
) -> tuple[torch.Tensor, int]:
    """The rule of both operators: any leading dimensions are a batch to them, so vmap's is one more."""
    # --8<-- [start:vmap]
    batched = [batch_first(arg, dim, info.batch_size) for arg, dim in zip(args, in_dims, strict=True)]
    return operator(*batched), 0
    # --8<-- [end:vmap]


def sqdist_vmap(info: Any, in_dims: InDims, *args: torch.Tensor) -> tuple[torch.Tensor, int]:
    return mapped(_ops.sqdist, info, in_dims, args)


def sqdist_backward_vmap(info: Any, in_dims: InDims, *args: torch.Tensor) -> tuple[torch.Tensor, int]:
    return mapped(_ops.sqdist_backward, info, in_dims, args)


# --8<-- [start:registrations]
torch.library.register_fake("pairwise::sqdist", sqdist_fake)
torch.library.register_fake("pairwise::sqdist_backward", sqdist_backward_fake)
torch.library.register_autograd("pairwise::sqdist", SqDist.backward, setup_context=SqDist.setup_context)
torch.library.register_vmap("pairwise::sqdist", sqdist_vmap)
torch.library.register_vmap("pairwise::sqdist_backward", sqdist_backward_vmap)
# --8<-- [end:registrations]


def sqdist(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The squared distances of the points of x, (..., n, d), to those of y, (..., m, d): (..., n, m)."""
    return SqDist.apply(x, y)
