"""Squared distances."""

import functools

import torch
from torch import Tensor
from torch.library import register_autograd, register_fake

import grader

grader.load("pairwise", ["kernel.cu", "binding.cpp"], is_python_module=False)

_sqdist = torch.ops.pairwise.sqdist.default
_sqdist_backward = torch.ops.pairwise.sqdist_backward.default


@torch.library.register_fake("pairwise::sqdist")
def _(x, y):
    torch._check(x.dim() == y.dim(), lambda: f"x has {x.dim()} dimensions, y {y.dim()}")
    return torch.empty((*x.shape[:-1], y.shape[-2]), dtype=x.dtype, device=x.device)


@torch.library.register_fake("pairwise::sqdist_backward")
def _(grad, x, y):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, grad):
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    grad_x = _sqdist_backward(grad, x, y) if need_x else None
    grad_y = _sqdist_backward(grad.transpose(-1, -2), y, x) if need_y else None
    return grad_x, grad_y


torch.library.register_autograd("pairwise::sqdist", backward, setup_context=setup_context)


def to_front(info, tensor, dim):
    if dim is None:
        return tensor.unsqueeze(0).expand(info.batch_size, *tensor.shape)
    return tensor.movedim(dim, 0)


@torch.library.register_vmap("pairwise::sqdist")
def sqdist_vmap(info, in_dims, x, y):
    return _sqdist(*(to_front(info, t, d) for t, d in zip((x, y), in_dims))), 0


@torch.library.register_vmap("pairwise::sqdist_backward")
def sqdist_backward_vmap(info, in_dims, grad, x, y):
    return _sqdist_backward(*(to_front(info, t, d) for t, d in zip((grad, x, y), in_dims))), 0


class SqDist(torch.autograd.Function):
    generate_vmap_rule = True
    forward = staticmethod(lambda x, y: _sqdist(x, y))
    setup_context = staticmethod(setup_context)
    backward = staticmethod(backward)


def sqdist(x: Tensor, y: Tensor) -> Tensor:
    return SqDist.apply(x, y)
