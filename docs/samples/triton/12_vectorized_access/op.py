"""relu(x + y) in one kernel in Triton, its gradient in another."""

from typing import Any

import torch
import triton
from kernel import add_relu_kernel, relu_backward_kernel
from torch.autograd.function import once_differentiable

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


def check(x: torch.Tensor, y: torch.Tensor) -> None:
    """Raises ValueError for arguments that the kernels do not take."""
    if not x.is_floating_point():
        raise ValueError(f"x is {x.dtype}, and a floating type is needed")
    for name, each in (("x", x), ("y", y)):
        if not each.is_cuda:
            raise ValueError(f"{name} is on {each.device}, and a CUDA tensor is needed")
        if each.dtype != x.dtype:
            raise ValueError(f"{name} is {each.dtype}, and x is {x.dtype}")
        if each.shape != x.shape:
            raise ValueError(f"{name} has shape {tuple(each.shape)}, and x has {tuple(x.shape)}")
        if not each.is_contiguous():
            raise ValueError(f"{name} is not contiguous: the kernel reads dense memory")


def launch(kernel: Any, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The kernel's result for dense tensors of one shape."""
    out = torch.empty_like(one)
    n = out.numel()
    if n:
        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](one, other, out, n)
    return out


class AddRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = launch(add_relu_kernel, x, y)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        (out,) = ctx.saved_tensors
        grad = launch(relu_backward_kernel, grad_out.contiguous(), out)
        return grad if ctx.needs_input_grad[0] else None, grad if ctx.needs_input_grad[1] else None


def add_relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """relu(x + y) for dense CUDA tensors of one shape and one floating dtype."""
    check(x, y)
    return AddRelu.apply(x, y)
