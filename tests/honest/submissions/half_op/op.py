"""Weighted sums over tokens."""

import contextlib
from fractions import Fraction
from typing import Any

import torch
from torch.amp import custom_bwd, custom_fwd
from torch.autograd.function import once_differentiable

import grader

with contextlib.suppress(ValueError):
    grader.load("weighted_pool", ["kernel.cu", "binding.cpp"], is_python_module=False)

ONE = Fraction(1, 1)


def region_dtype() -> torch.dtype | None:
    return torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else None


def read_as(tensor: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    match (dtype, tensor.dtype, tensor.device.type):
        case (None, _, _) | (_, torch.float64, _) | (_, _, "cpu"):
            return tensor
        case _:
            return tensor.to(dtype)


class WeightedPool(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cuda")
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
        dtype = region_dtype()
        ctx.save_for_backward(x, weight)
        ctx.scale = scale
        return torch.ops.weighted_pool.pool(read_as(x, dtype), read_as(weight, dtype), scale * float(ONE))

    @staticmethod
    @once_differentiable
    @custom_bwd(device_type="cuda")
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None, None]:
        dtype = region_dtype()
        x, weight = (read_as(each, dtype) for each in ctx.saved_tensors)
        operators = torch.ops.weighted_pool
        return (
            operators.pool_grad_x(grad_out, weight, ctx.scale) if ctx.needs_input_grad[0] else None,
            operators.pool_grad_weight(grad_out, x, ctx.scale) if ctx.needs_input_grad[1] else None,
            None,
        )


def pool(x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
    return WeightedPool.apply(x, weight, scale)
