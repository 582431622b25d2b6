import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        return torch.ops.toy_muladd.muladd(grad, b, 0.0), torch.ops.toy_muladd.muladd(grad, a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
