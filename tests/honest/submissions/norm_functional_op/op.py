"""Layer norm."""

import collections
import typing

import torch
from torch.autograd import function

import grader

grader.load("layer_norm", ["kernel.cu", "binding.cpp"], is_python_module=False)

Saved = collections.namedtuple("Saved", "x weight mean rstd")
EPS: typing.Final[float] = 1e-5


class LayerNormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        y, mean, rstd = torch.ops.layer_norm.layer_norm(x, weight, bias, eps)
        ctx.save_for_backward(*Saved(x=x, weight=weight, mean=mean, rstd=rstd))
        return y

    @staticmethod
    @function.once_differentiable
    def backward(ctx, dy):
        saved = Saved._make(ctx.saved_tensors)
        wanted = list(ctx.needs_input_grad[:-1])
        grads = torch.ops.layer_norm.layer_norm_backward(
            dy, saved.x, saved.weight, saved.mean, saved.rstd, wanted
        )
        return (*(g if w else None for g, w in zip(grads, wanted, strict=True)), None)


class LayerNorm(torch.nn.LayerNorm):
    """torch's layer with our kernel."""

    def forward(self, input):
        return layer_norm(input, self.weight, self.bias, self.eps)


def layer_norm(x, weight, bias, eps=EPS):
    return LayerNormFunction.apply(x, weight, bias, eps)
