import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

KERNELS = {
    "forward": lambda a, b, c: torch.ops.toy_muladd.muladd(a, b, c),
    "product": lambda a, b: torch.ops.toy_muladd.muladd(a, b, 0.0),
}


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return KERNELS["forward"](a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grads = {
            name: KERNELS["product"](grad.contiguous(), other) for name, other in {"a": b, "b": a}.items()
        }
        return grads.get("a"), grads.pop("b"), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
