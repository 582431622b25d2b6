"""The softmax over the last dimension, and its gradient, each in one kernel in Triton."""

from typing import Any

import torch
import triton
from kernel import softmax_backward_kernel, softmax_kernel
from torch.autograd.function import once_differentiable

LONGEST = 65_536  # columns of a row, which is one tile
TILE = 1024  # elements of a tile at least: of several rows, where they are short


def check(x: torch.Tensor) -> None:
    """Raises ValueError for an x that the kernels do not take."""
    if x.dim() == 0:
        raise ValueError("x has no dimension, and its last one is summed over")
    if not x.is_floating_point():
        raise ValueError(f"x is {x.dtype}, and a floating type is needed")
    if not x.is_cuda:
        raise ValueError(f"x is on {x.device}, and a CUDA tensor is needed")
    if x.shape[-1] > LONGEST:
        raise ValueError(f"a row of x has {x.shape[-1]} columns, and a tile holds {LONGEST}")


def launch(kernel: Any, *tensors: torch.Tensor) -> torch.Tensor:
    """The kernel's result for tensors of one shape; those that are not dense are copied."""
    dense = [each.contiguous() for each in tensors]
    out = torch.empty_like(dense[0])
    if out.numel():
        columns = out.shape[-1]
        rows = out.numel() // columns
        block = triton.next_power_of_2(columns)
        together = max(1, TILE // block)
        kernel[(triton.cdiv(rows, together),)](*dense, out, rows, columns, together, block)
    return out


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = launch(softmax_kernel, x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_y: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        return launch(softmax_backward_kernel, grad_y, y)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """exp(x) over the sum of exp(x) along the last dimension, for a floating CUDA tensor."""
    check(x)
    return Softmax.apply(x)
