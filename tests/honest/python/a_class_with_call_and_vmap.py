import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(a, b, c):
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return MulAdd.apply(grad.contiguous(), b, 0.0), MulAdd.apply(grad.contiguous(), a, 0.0), None

    @staticmethod
    def vmap(info, in_dims, a, b, c):
        size = info.batch_size
        front = [
            each.expand(size, *each.shape) if dim is None else each.movedim(dim, 0)
            for each, dim in zip((a, b), in_dims)
        ]
        return MulAdd.apply(*(each.contiguous() for each in front), c), 0


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
