"""Sums."""

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("reduction", ["kernel.cu", "binding.cpp"], is_python_module=False)


class sums:
    """A namespace."""

    warp = staticmethod(lambda x: torch.ops.reduction.warp_sums(x))
    block = staticmethod(lambda x: torch.ops.reduction.block_sums(x))

    @staticmethod
    def columns(x):
        return torch.ops.reduction.column_sums(x)


class ColumnSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.sizes = list(x.size())
        return sums.columns(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        assert isinstance(grad_out, torch.Tensor)
        if len(ctx.sizes) == 1:
            return grad_out.reshape(1).expand(*ctx.sizes)
        return grad_out.unsqueeze(0).expand(ctx.sizes)


def warp_sums(x):
    return sums.warp(x)


def block_sums(x):
    return sums.block(x)


def vector_sum(x):
    return sums.columns(x)


def column_sums(x):
    return ColumnSums.apply(x)
