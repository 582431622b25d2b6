from functools import cached_property

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class Shape:
    def __init__(self, *sizes):
        self.sizes = sizes

    @classmethod
    def of(cls, tensor):
        return cls(*tensor.shape)

    @cached_property
    def elements(self):
        count = 1
        for size in self.sizes:
            count *= size
        return count

    def __eq__(self, other):
        return isinstance(other, Shape) and self.sizes == other.sizes

    def __hash__(self):
        return hash(self.sizes)

    def __len__(self):
        return len(self.sizes)

    def __iter__(self):
        return iter(self.sizes)

    def __getitem__(self, at):
        return self.sizes[at]


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        if Shape.of(a) != Shape.of(b):
            raise ValueError("shapes differ")
        ctx.shape = Shape.of(a)
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad = grad.reshape(*ctx.shape).contiguous()
        return torch.ops.toy_muladd.muladd(grad, b, 0.0), torch.ops.toy_muladd.muladd(grad, a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
