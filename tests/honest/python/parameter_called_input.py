import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, other, vars):
        ctx.save_for_backward(input, other)
        return torch.ops.toy_muladd.muladd(input, other, vars)

    @staticmethod
    def backward(ctx, grad):
        input, other = ctx.saved_tensors
        dir = grad.contiguous()
        return (
            torch.ops.toy_muladd.muladd(dir, other, 0.0),
            torch.ops.toy_muladd.muladd(dir, input, 0.0),
            None,
        )


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
