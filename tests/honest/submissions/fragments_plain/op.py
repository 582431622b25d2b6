"""A linear layer without bias in half precision: three products, by one kernel on tensor cores."""

from typing import Any

import torch

import grader

grader.load("tensor_cores", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.tensor_cores

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """x (rows, inputs) @ weight (outputs, inputs).T. setup_context saves what backward needs."""
        return _ops.linear(x, weight)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_x = linear(grad_out, weight.t())  # grad_out @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = linear(x.t(), grad_out.t()).t()
        return grad_x, grad_weight


def linear(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """x @ weight.T for float16 or bfloat16 CUDA matrices of any layout, without copying either."""
    return Linear.apply(x, weight)
