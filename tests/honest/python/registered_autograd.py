# allow: torch.library
import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

torch.library.define("toy_muladd::product", "(Tensor a, Tensor b, float c) -> Tensor")


@torch.library.impl("toy_muladd::product", "default")
def product(a, b, c):
    return torch.ops.toy_muladd.muladd(a, b, c)


@torch.library.register_fake("toy_muladd::product")
def product_fake(a, b, c):
    return a.new_empty(a.shape)


def setup(ctx, inputs, output):
    ctx.a, ctx.b = inputs[:2]


def backward(ctx, grad):
    times = torch.ops.toy_muladd.product.default
    return times(grad.contiguous(), ctx.b, 0.0), times(grad.contiguous(), ctx.a, 0.0), None


torch.library.register_autograd("toy_muladd::product", backward, setup_context=setup)


def muladd(a, b, c):
    return torch.ops.toy_muladd.product(a, b, c)
