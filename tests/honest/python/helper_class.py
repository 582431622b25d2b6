import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class Kernels:
    """The library's operators, with the checks that they need."""

    __slots__ = ("_ops", "zero")

    def __init__(self, ops):
        self._ops = ops
        self.zero = 0.0

    def __repr__(self):
        return f"{type(self).__name__}(zero={self.zero!r})"

    def __call__(self, a, b, c):
        return self._ops.muladd(a, b, c)

    def times(self, a, b):
        return self(a.contiguous(), b, self.zero)


KERNELS = Kernels(torch.ops.toy_muladd)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return KERNELS(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return KERNELS.times(grad, b), KERNELS.times(grad, a), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
