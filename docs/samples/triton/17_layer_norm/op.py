"""Layer norm over the last dimension in Triton: one kernel forward, one and two sums backward."""

from typing import Any

import torch
import triton
from kernel import column_sums_kernel, gradients_kernel, normalise_kernel
from torch.autograd.function import once_differentiable

LONGEST = 16_384  # columns of a row, which is one tile
PROGRAMS = 256  # of backward at most, each with a row of partial sums
ROWS = 8  # for each of them at least
STRIP = 32  # columns for each program that adds up the parts, and parts that it adds at once
Gradients = tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None, None]


def check(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> None:
    """Raises ValueError for arguments that the kernels do not take."""
    if x.dim() == 0:
        raise ValueError("x has no dimension, and its last one is normalised")
    if x.shape[-1] > LONGEST:
        raise ValueError(f"a row of x has {x.shape[-1]} columns, and a tile holds {LONGEST}")
    for name, each in (("x", x), ("weight", weight), ("bias", bias)):
        if not each.is_cuda:
            raise ValueError(f"{name} is on {each.device}, and a CUDA tensor is needed")
        if each.dtype != x.dtype or x.dtype not in (torch.float32, torch.float64):
            raise ValueError(f"{name} is {each.dtype}, and x is {x.dtype}: both are float32 or float64")
        if each is not x and each.shape != x.shape[-1:]:
            raise ValueError(f"{name} has shape {tuple(each.shape)}, and a row has {x.shape[-1]} columns")


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
    ) -> torch.Tensor:
        x, weight, bias = x.contiguous(), weight.contiguous(), bias.contiguous()
        columns = x.shape[-1]
        rows = x.numel() // max(1, columns)
        out = torch.empty_like(x)
        mean, rstd = torch.empty((2, rows), dtype=x.dtype, device=x.device)
        if x.numel():
            block = triton.next_power_of_2(columns)
            normalise_kernel[(rows,)](x, weight, bias, out, mean, rstd, columns, eps, block)
        ctx.save_for_backward(x, weight, mean, rstd)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        x, weight, mean, rstd = ctx.saved_tensors
        needs_x, needs_weight, needs_bias, _ = ctx.needs_input_grad
        sums = needs_weight or needs_bias
        columns, rows = x.shape[-1], mean.numel()
        programs = min(PROGRAMS, triton.cdiv(rows, ROWS))
        grad_x = torch.empty_like(x)
        weight_parts, bias_parts = torch.empty((2, programs, columns), dtype=x.dtype, device=x.device)
        if x.numel():
            gradients_kernel[(programs,)](
                grad_out.contiguous(), x, weight, mean, rstd, grad_x, weight_parts, bias_parts, rows, columns,
                sums, triton.next_power_of_2(columns),
            )  # fmt: skip
        grad_weight = summed(weight_parts) if needs_weight else None
        return grad_x if needs_x else None, grad_weight, summed(bias_parts) if needs_bias else None, None


def summed(parts: torch.Tensor) -> torch.Tensor:
    """The sum over the rows of a dense matrix; zeros for none."""
    count, columns = parts.shape
    out = torch.empty(columns, dtype=parts.dtype, device=parts.device)
    if columns:
        column_sums_kernel[(triton.cdiv(columns, STRIP),)](parts, out, count, columns, STRIP)
    return out


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Normalises the rows of a CUDA x of (..., columns), then applies weight and bias of (columns,)."""
    check(x, weight, bias)
    return LayerNorm.apply(x, weight, bias, eps)
