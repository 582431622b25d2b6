import operator
from functools import partial, reduce

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

fused = torch.ops.toy_muladd.muladd
times = partial(fused, c=0.0)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.count = reduce(operator.mul, a.shape, 1)
        ctx.save_for_backward(a, b)
        return fused(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        assert grad.numel() == ctx.count
        return *map(partial(times, grad.contiguous()), reversed(ctx.saved_tensors)), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
