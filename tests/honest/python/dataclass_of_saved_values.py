from dataclasses import dataclass, field

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


@dataclass(frozen=True)
class Saved:
    scale: float
    names: tuple[str, ...] = ("a", "b")
    notes: list[str] = field(default_factory=list)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.saved = Saved(scale=0.0)
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        kept = dict(zip(ctx.saved.names, ctx.saved_tensors, strict=True))
        product = torch.ops.toy_muladd.muladd
        grad = grad.contiguous()
        return product(grad, kept["b"], ctx.saved.scale), product(grad, kept["a"], ctx.saved.scale), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
