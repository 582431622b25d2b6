# allow: torch.library
import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


@torch.library.custom_op("toy_muladd::fused", mutates_args=())
def fused(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
    return torch.ops.toy_muladd.muladd(a, b, c)


@fused.register_fake
def _(a, b, c):
    return torch.empty_like(a)


def setup(ctx, inputs, output):
    a, b, _ = inputs
    ctx.save_for_backward(a, b)


def backward(ctx, grad):
    a, b = ctx.saved_tensors
    return fused(grad.contiguous(), b, 0.0), fused(grad.contiguous(), a, 0.0), None


fused.register_autograd(backward, setup_context=setup)


def muladd(a, b, c):
    return fused(a, b, c)
