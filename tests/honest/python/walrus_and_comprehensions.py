import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        if (elements := a.numel()) != b.numel():
            raise ValueError(f"{elements:,} elements and {b.numel():,}")
        ctx.save_for_backward(*(kept := [each.detach() for each in (a, b)]))
        return torch.ops.toy_muladd.muladd(*kept, c)

    @staticmethod
    def backward(ctx, grad):
        dense = grad if grad.is_contiguous() else grad.contiguous()
        return *[torch.ops.toy_muladd.muladd(dense, each, 0.0) for each in ctx.saved_tensors[::-1]], None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
