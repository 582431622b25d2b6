from functools import lru_cache

import torch

import grader


@lru_cache(maxsize=None)
def ops():
    grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)
    return torch.ops.toy_muladd


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return ops().muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        return ops().muladd(grad, b, 0.0), ops().muladd(grad, a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
