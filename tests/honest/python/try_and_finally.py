import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

_depth = 0


class Unsupported(RuntimeError):
    def __init__(self, dtype):
        super().__init__(f"muladd has no kernel for {dtype}")
        self.dtype = dtype


def _call(a, b, c):
    global _depth
    _depth += 1
    try:
        return torch.ops.toy_muladd.muladd(a, b, c)
    except NotImplementedError as error:
        raise Unsupported(a.dtype) from error
    finally:
        _depth -= 1


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return _call(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return _call(grad.contiguous(), b, 0.0), _call(grad.contiguous(), a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
