import itertools
import operator
from typing import Any

import torch

import grader

grader.load("vectorized_access", ["kernel.cu", "binding.cpp"], is_python_module=False)


class AddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor, /) -> torch.Tensor:
        ctx.save_for_backward(result := torch.ops.vectorized_access.add_relu(x, y))
        return result

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (gradient,), (result,) = gradients, ctx.saved_tensors
        shared = torch.ops.vectorized_access.relu_backward(gradient.contiguous(), result)
        pairs = zip(itertools.repeat(shared), ctx.needs_input_grad)
        return tuple(itertools.starmap(lambda value, wanted: value if operator.truth(wanted) else None, pairs))


def add_relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return AddReLU.apply(x, y)
