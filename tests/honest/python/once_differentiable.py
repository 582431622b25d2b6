import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        ctx.set_materialize_grads(False)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        if grad is None:
            return None, None, None
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        wants_a, wants_b, _ = ctx.needs_input_grad
        grad_a = torch.ops.toy_muladd.muladd(grad, b, 0.0) if wants_a else None
        grad_b = torch.ops.toy_muladd.muladd(grad, a, 0.0) if wants_b else None
        return grad_a, grad_b, None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
