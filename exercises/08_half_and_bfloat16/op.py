"""Weighted sums over tokens, with gradients, in four dtypes and under autocast."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("weighted_pool", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.weighted_pool

Gradients = tuple[torch.Tensor | None, torch.Tensor | None, None]


def lowered(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """The tensors as the kernels shall read them: inside an autocast region, cast to its dtype.

    As for PyTorch's own operators, float64 keeps its dtype, and so does a tensor on the CPU.
    """
    # TODO(lowered): the tensors as they are, or in the dtype of the autocast region, about 4 lines.
    raise NotImplementedError("TODO(lowered)")


class Pool(torch.autograd.Function):
    # TODO(forward): remember the autocast state with custom_fwd; save what backward needs; pool what
    #   lowered() returns, about 6 lines.
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
        raise NotImplementedError("TODO(forward)")

    # TODO(backward): bring the autocast state back with custom_bwd; lower what was saved; only the
    #   gradients that are needed, about 11 lines.
    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        raise NotImplementedError("TODO(backward)")


def pool(x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
    """scale * (x * weight).sum(1) for CUDA tensors x (batch, tokens, channels) and weight (tokens, channels).

    Both have one of the dtypes float16, bfloat16, float32 and float64, and the result has it too. Sums of the
    16-bit types are kept in float32 and rounded once. Inside an autocast region both may differ in dtype:
    there the operation computes in the region's.
    """
    return Pool.apply(x, weight, scale)
