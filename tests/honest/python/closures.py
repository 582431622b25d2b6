import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


def make(operator):
    class MulAdd(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, c):
            ctx.save_for_backward(a, b)
            return operator(a, b, c)

        @staticmethod
        def backward(ctx, grad):
            times = lambda other: operator(grad.contiguous(), other, 0.0)
            a, b = ctx.saved_tensors
            return times(b), times(a), None

    def call(a, b, c):
        return MulAdd.apply(a, b, c)

    return call


muladd = make(torch.ops.toy_muladd.muladd)
