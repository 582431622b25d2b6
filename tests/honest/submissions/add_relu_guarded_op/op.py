"""relu(x + y)."""

import functools

import torch

import grader

_calls = 0

grader.load("vectorized_access", ["kernel.cu", "binding.cpp"], is_python_module=False)


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        global _calls
        try:
            return function(*args, **kwargs)
        finally:
            _calls += 1

    return wrapper


class AddRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        out = torch.ops.vectorized_access.add_relu(x, y)
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(out)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_out):
        out, = ctx.saved_tensors
        grad = torch.ops.vectorized_access.relu_backward(grad_out.contiguous(), out)
        return tuple(grad if needed else None for needed in ctx.needs_input_grad)


@counted
def add_relu(x, y):
    if not torch.is_grad_enabled():
        return torch.ops.vectorized_access.add_relu(x, y)
    return AddRelu.apply(x, y)
