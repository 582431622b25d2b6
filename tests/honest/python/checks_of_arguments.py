import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        return torch.ops.toy_muladd.muladd(grad, b, 0.0), torch.ops.toy_muladd.muladd(grad, a, 0.0), None


def _require(condition, message, *details):
    if not condition:
        raise ValueError(message % details)


def muladd(a, b, c):
    _require(isinstance(a, torch.Tensor) and isinstance(b, (torch.Tensor, torch.nn.Parameter)), "two tensors")
    _require(a.shape == b.shape, "shapes differ: %s and %s", tuple(a.shape), tuple(b.shape))
    _require(type(c) is not bool, "c is a number")
    torch._check(a.dtype == b.dtype, lambda: f"{a.dtype} and {b.dtype}")
    if a.device != b.device:
        raise RuntimeError(
            "a is on {} and b on {}".replace("{}", str(a.device), 1).replace("{}", str(b.device))
        )
    return MulAdd.apply(a.contiguous(), b.contiguous(), float(c))
