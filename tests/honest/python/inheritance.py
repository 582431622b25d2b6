from abc import ABC, abstractmethod

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class Base(ABC):
    @abstractmethod
    def apply(self, a, b, c): ...

    @property
    def name(self):
        return type(self).__name__.lower()


class Fused(Base):
    calls: int = 0

    def apply(self, a, b, c):
        self.calls += 1
        return MulAdd.apply(a, b, c)


class Dense(torch.autograd.Function):
    @staticmethod
    def product(a, b):
        return torch.ops.toy_muladd.muladd(a.contiguous(), b.contiguous(), 0.0)


class MulAdd(Dense):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return Dense.product(grad, b), MulAdd.product(grad, a), None


_fused = Fused()


def muladd(a, b, c):
    return _fused.apply(a, b, c)
