import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


def gradients(ctx, grad):
    a, b = ctx.saved_tensors
    for wanted, other in zip(ctx.needs_input_grad, (b, a)):
        yield torch.ops.toy_muladd.muladd(grad, other, 0.0) if wanted else None
    yield from (None,)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        return tuple(gradients(ctx, grad.contiguous()))


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
