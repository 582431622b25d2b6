# allow: torch.library
"""a * b + c with its derivative registered by functions that are imported by their names."""

import torch
from torch.library import register_autograd

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


def backward(ctx, grad):
    a, b = ctx.saved_tensors
    grad = grad.contiguous()
    kernel = torch.ops.toy_muladd.muladd
    return kernel(grad, b, 0.0), kernel(grad, a, 0.0), None


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:2])


register_autograd("toy_muladd::muladd", backward, setup_context=setup_context)


def muladd(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
    return torch.ops.toy_muladd.muladd(a, b, c)
