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
    # --8<-- [start:lowered]
    if not torch.is_autocast_enabled("cuda"):
        return list(tensors)
    dtype = torch.get_autocast_dtype("cuda")
    return [each if each.dtype == torch.float64 or not each.is_cuda else each.to(dtype) for each in tensors]
    # --8<-- [end:lowered]


class Pool(torch.autograd.Function):
    # --8<-- [start:forward]
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")  # notes on ctx which autocast region this is
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
        ctx.save_for_backward(x, weight)  # not their casts: x and weight are in memory anyway
        ctx.scale = scale
        return _ops.pool(*lowered(x, weight), scale)

    # --8<-- [end:forward]

    # --8<-- [start:backward]
    @staticmethod
    @once_differentiable
    @torch.amp.custom_bwd(device_type="cuda")  # puts that region around backward
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        x, weight = lowered(*ctx.saved_tensors)
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_x = _ops.pool_grad_x(grad_out, weight, ctx.scale)
        if ctx.needs_input_grad[1]:
            grad_weight = _ops.pool_grad_weight(grad_out, x, ctx.scale)
        return grad_x, grad_weight, None

    # --8<-- [end:backward]


def pool(x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
    """scale * (x * weight).sum(1) for CUDA tensors x (batch, tokens, channels) and weight (tokens, channels).

    Both have one of the dtypes float16, bfloat16, float32 and float64, and the result has it too. Sums of the
    16-bit types are kept in float32 and rounded once. Inside an autocast region both may differ in dtype:
    there the operation computes in the region's.
    """
    return Pool.apply(x, weight, scale)
