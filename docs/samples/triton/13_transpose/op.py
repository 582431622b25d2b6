"""A matrix with rows and columns exchanged in memory by a kernel in Triton, and the gradient by the same."""

from typing import Any

import torch
import triton
from kernel import transpose_kernel


def check(x: torch.Tensor) -> None:
    """Raises ValueError for arguments that the kernel does not take."""
    if x.dim() != 2:
        raise ValueError(f"x has {x.dim()} dimensions, and a matrix has 2")
    if not x.is_cuda:
        raise ValueError(f"x is on {x.device}, and a CUDA tensor is needed")
    if not x.is_contiguous():
        raise ValueError("x is not contiguous: the kernel reads dense memory")


class Transpose(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)

        def grid(meta: dict[str, Any]) -> tuple[int]:
            return (triton.cdiv(rows, meta["ROWS"]) * triton.cdiv(columns, meta["COLUMNS"]),)

        if out.numel():
            transpose_kernel[grid](x, out, rows, columns)
        return out

    @staticmethod
    def backward(ctx: Any, grad_out: torch.Tensor) -> torch.Tensor:
        return Transpose.apply(grad_out.contiguous())


def transpose(x: torch.Tensor) -> torch.Tensor:
    """x.t() as dense memory, for a dense CUDA matrix x."""
    check(x)
    return Transpose.apply(x)
