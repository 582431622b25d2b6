"""alpha * x + y in one kernel, with a gradient."""

import torch  # before _C, which is linked against torch's libraries

from . import _C


class _Axpy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, alpha, x, y):
        ctx.alpha = alpha
        return _C.axpy(alpha, x, y)

    @staticmethod
    def backward(ctx, grad):
        _, wants_x, wants_y = ctx.needs_input_grad
        return None, ctx.alpha * grad if wants_x else None, grad if wants_y else None


def axpy(alpha, x, y):
    return _Axpy.apply(alpha, x, y)
