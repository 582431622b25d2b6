import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

_ops = torch.ops.toy_muladd


class MulAdd(torch.autograd.Function):
    generate_vmap_rule = False

    @staticmethod
    def forward(a, b, c):
        return _ops.muladd(a, b, c)

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b, _ = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return _ops.muladd(grad.contiguous(), b, 0.0), _ops.muladd(grad.contiguous(), a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
