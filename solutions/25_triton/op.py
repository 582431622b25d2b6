"""Layer norm over the last dimension, with kernels in Triton, as an operator that torch.compile sees into."""

from typing import Any

import torch
import triton
from kernel import backward_kernel, forward_kernel

PROGRAMS = 32  # of backward, at most: each adds what it has to the sums once


def check(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> None:
    """Raises ValueError for arguments that do not fit together."""
    if x.dim() == 0:
        raise ValueError("x has no dimension, and its last one is normalised")
    for name, each in (("x", x), ("weight", weight), ("bias", bias)):
        if not each.is_cuda:
            raise ValueError(f"{name} is on {each.device}, and a CUDA tensor is needed")
        if each.dtype != x.dtype:
            raise ValueError(f"{name} is {each.dtype}, and x is {x.dtype}")
        if each is not x and each.shape != x.shape[-1:]:
            raise ValueError(f"{name} has shape {tuple(each.shape)}, and a row has {x.shape[-1]} columns")


def matrix(x: torch.Tensor) -> torch.Tensor:
    """x as rows of columns: a view where its strides allow one."""
    return x.reshape(x.numel() // max(1, x.shape[-1]), x.shape[-1])


@torch.library.triton_op("layer_norm_triton::layer_norm", mutates_args=())
def layer_norm_forward(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """The operator: its arguments are checked, its derivative is registered below."""
    check(x, weight, bias)
    rows = matrix(x)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel() == 0:
        return out

    # --8<-- [start:forward_launch]
    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (triton.cdiv(rows.shape[0], meta["ROWS"]),)

    torch.library.wrap_triton(forward_kernel)[grid](
        rows, weight, bias, out, *rows.stride(), *weight.stride(), *bias.stride(),
        *rows.shape, eps, triton.next_power_of_2(rows.shape[1]),
    )
    # --8<-- [end:forward_launch]
    return out


@torch.library.triton_op("layer_norm_triton::layer_norm_backward", mutates_args=())
def layer_norm_backward(
    grad_out: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient of x; those of weight and bias, 2 x columns, float64 where x is, else float32."""
    grads, rows = matrix(grad_out), matrix(x)
    grad_x = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    # --8<-- [start:backward_launch]
    sums = torch.zeros((2, *weight.shape), dtype=wide, device=x.device)
    if x.numel() == 0:
        return grad_x, sums

    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (min(PROGRAMS, triton.cdiv(rows.shape[0], meta["ROWS"])),)

    torch.library.wrap_triton(backward_kernel)[grid](
        grads, rows, weight, grad_x, sums, *grads.stride(), *rows.stride(), *weight.stride(),
        *rows.shape, eps, triton.next_power_of_2(rows.shape[1]),
    )
    return grad_x, sums
    # --8<-- [end:backward_launch]


def setup_context(
    ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor, torch.Tensor, float], output: torch.Tensor
) -> None:
    # --8<-- [start:setup_context]
    x, weight, _, eps = inputs
    ctx.save_for_backward(x, weight)
    ctx.eps = eps
    # --8<-- [end:setup_context]


def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
    # --8<-- [start:backward]
    x, weight = ctx.saved_tensors
    grad_x, sums = layer_norm_backward(grad_out, x, weight, ctx.eps)
    grad_weight, grad_bias = sums.to(weight.dtype).unbind()
    return grad_x, grad_weight, grad_bias, None
    # --8<-- [end:backward]


# --8<-- [start:registration]
torch.library.register_autograd("layer_norm_triton::layer_norm", backward, setup_context=setup_context)
# --8<-- [end:registration]


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Normalises the rows of a CUDA x of (..., columns), then applies weight and bias of (columns,)."""
    return layer_norm_forward(x, weight, bias, eps)
