from collections import namedtuple
from typing import NamedTuple

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

Pair = namedtuple("Pair", "left right")


class Grads(NamedTuple):
    a: torch.Tensor | None
    b: torch.Tensor | None
    c: None = None


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(*Pair(a, b))
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        pair = Pair(*ctx.saved_tensors)
        grad = grad.contiguous()
        first = Grads(torch.ops.toy_muladd.muladd(grad, pair.right, 0.0), None)
        return tuple(first._replace(b=torch.ops.toy_muladd.muladd(grad, pair.left, 0.0)))


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
