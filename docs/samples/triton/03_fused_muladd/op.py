"""a * b + c in one kernel in Triton, with gradients."""

from typing import Any

import torch
import triton
from kernel import muladd_kernel, multiply_kernel
from torch.autograd.function import once_differentiable

Gradients = tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]


def check(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Raises ValueError for arguments that the kernels do not take."""
    if a.dtype not in (torch.float32, torch.float64):
        raise ValueError(f"a is {a.dtype}, and float32 or float64 is needed")
    for name, each in (("a", a), ("b", b), ("c", c)):
        if not each.is_cuda:
            raise ValueError(f"{name} is on {each.device}, and a CUDA tensor is needed")
        if each.dtype != a.dtype:
            raise ValueError(f"{name} is {each.dtype}, and a is {a.dtype}")
        if each.shape != a.shape:
            raise ValueError(f"{name} has shape {tuple(each.shape)}, and a has {tuple(a.shape)}")
        if not each.is_contiguous():
            raise ValueError(f"{name} is not contiguous: the kernel reads dense memory")


def launch(kernel: Any, *tensors: torch.Tensor) -> torch.Tensor:
    """The kernel's result for dense tensors of one shape."""
    out = torch.empty_like(tensors[0])
    n = out.numel()
    if n:
        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](*tensors, out, n)
    return out


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return launch(muladd_kernel, a, b, c)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        a, b = ctx.saved_tensors
        grad_out = grad_out.contiguous()
        needs_a, needs_b, needs_c = ctx.needs_input_grad
        grad_a = launch(multiply_kernel, grad_out, b) if needs_a else None
        grad_b = launch(multiply_kernel, grad_out, a) if needs_b else None
        return grad_a, grad_b, grad_out if needs_c else None


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c for contiguous float32 or float64 CUDA tensors of one shape and dtype."""
    check(a, b, c)
    return MulAdd.apply(a, b, c)
