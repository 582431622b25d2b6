"""a * b + c."""

import torch
from torch import autograd, nn
from torch.utils.checkpoint import checkpoint

import grader

__all__ = ["Block", "muladd"]
__version__ = "1.0"
__author__ = "a learner"

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(autograd.Function):
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


class Block(nn.Module):
    """b as a parameter; its activations are computed again in backward."""

    def __init__(self, size, c=1.0, *, device=None, dtype=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size, device=device, dtype=dtype))
        self.c = c

    def forward(self, x):
        return checkpoint(muladd, x, self.weight, self.c, use_reentrant=False)
