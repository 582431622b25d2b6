"""The shape of an autograd.Function, on the sine: lesson 02 shows it."""

from typing import Any

import torch


# --8<-- [start:sine]
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)  # a tensor that backward reads
        return torch.sin(x)

    @staticmethod
    def backward(ctx: Any, grad_out: torch.Tensor) -> torch.Tensor | None:
        (x,) = ctx.saved_tensors  # a tuple, as it was saved
        if not ctx.needs_input_grad[0]:
            return None
        return grad_out * torch.cos(x)  # the chain rule: cotangent times derivative


def sine(x: torch.Tensor) -> torch.Tensor:
    return Sine.apply(x)  # apply, not forward: this is what records the step


# --8<-- [end:sine]
