"""gelu(x + bias) in one kernel in Triton, its gradient in another."""

from typing import Any

import torch
import triton
from kernel import bias_gelu_backward_kernel, bias_gelu_kernel
from torch.autograd.function import once_differentiable

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]
MOST_COLUMNS = 1024  # of a tile


def check(x: torch.Tensor, bias: torch.Tensor) -> None:
    """Raises ValueError for arguments that the kernels do not take."""
    if x.dim() == 0:
        raise ValueError("x has no dimension, and bias belongs to its last one")
    if bias.shape != x.shape[-1:]:
        raise ValueError(f"bias has shape {tuple(bias.shape)}, and a row has {x.shape[-1]} columns")
    for name, each in (("x", x), ("bias", bias)):
        if not each.is_cuda:
            raise ValueError(f"{name} is on {each.device}, and a CUDA tensor is needed")
        if each.dtype != x.dtype or not each.is_floating_point():
            raise ValueError(f"{name} is {each.dtype}, and x is {x.dtype}: both are of one floating type")


def launch(kernel: Any, *tensors: torch.Tensor) -> torch.Tensor:
    """The kernel's result for matrices and, last, a bias; those that are not dense are copied."""
    dense = [each.contiguous() for each in tensors]
    out = torch.empty_like(dense[0])
    if out.numel() == 0:
        return out
    columns = out.shape[-1]
    rows = out.numel() // columns
    wide = min(MOST_COLUMNS, triton.next_power_of_2(columns))

    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (triton.cdiv(rows, meta["TILE"] // wide) * triton.cdiv(columns, wide),)

    kernel[grid](*dense, out, rows, columns, wide)
    return out


class BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, bias)
        return launch(bias_gelu_kernel, x, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        x, bias = ctx.saved_tensors
        grad_x = launch(bias_gelu_backward_kernel, grad_out, x, bias)
        grad_bias = grad_x.sum_to_size(bias.shape) if ctx.needs_input_grad[1] else None
        return grad_x if ctx.needs_input_grad[0] else None, grad_bias


def bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """gelu(x + bias) in its tanh form for CUDA tensors x of (..., columns) and bias of (columns,)."""
    check(x, bias)
    return BiasGelu.apply(x, bias)
