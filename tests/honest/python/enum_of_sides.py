import enum

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self):
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class Order(enum.IntEnum):
    FIRST = enum.auto()
    SECOND = enum.auto()


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        saved = dict(zip(Side, ctx.saved_tensors))
        grads = [torch.ops.toy_muladd.muladd(grad.contiguous(), saved[side.other], 0.0) for side in Side]
        return grads[Order.FIRST - 1], grads[Order.SECOND - 1], None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
