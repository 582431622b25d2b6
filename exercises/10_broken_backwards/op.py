"""Seven small operations, each an autograd.Function around a kernel."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

import grader

grader.load("broken_backwards", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.broken_backwards

Gradient = Tensor | None


class Muladd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return _ops.muladd(a, b, c)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> tuple[Gradient, ...]:
        a, b = ctx.saved_tensors
        grad_a = _ops.multiply(grad_out, b) if ctx.needs_input_grad[0] else None
        grad_b = _ops.multiply(grad_out, a) if ctx.needs_input_grad[1] else None
        # TODO(muladd): repair: autograd refuses what backward returns, about 1 line.
        return grad_a, grad_b


class Mix(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: float, y: Tensor) -> Tensor:
        ctx.weight = weight
        return _ops.mix(x, weight, y)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> tuple[Gradient, ...]:
        x_needs_grad, _, y_needs_grad = ctx.needs_input_grad
        grad_x = _ops.scale(grad_out, 1 - ctx.weight) if x_needs_grad else None
        grad_y = _ops.scale(grad_out, ctx.weight) if y_needs_grad else None
        # TODO(mix): repair: the same error message, for another reason, about 1 line.
        return grad_x, grad_y


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        out = _ops.sigmoid(x)
        # TODO(sigmoid_forward): repair, here and in backward: nothing notices when the result is
        #   overwritten later, about 1 line.
        ctx.out = out
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> Tensor:
        # TODO(sigmoid_backward): the other half of the repair in forward, about 1 line.
        out = ctx.out
        return _ops.sigmoid_backward(grad_out, out)


class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        gate = _ops.sigmoid(x)
        ctx.save_for_backward(x, gate)
        # TODO(silu): repair: the result is right, the gradient is not, about 1 line.
        _ops.multiply_(gate, x)  # the result takes over the memory of gate
        return gate

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> Tensor:
        x, gate = ctx.saved_tensors
        return _ops.silu_backward(grad_out, x, gate)


class ChannelScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor) -> Tensor:
        ctx.save_for_backward(x, gain)
        return _ops.channel_scale(x, gain)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> tuple[Gradient, ...]:
        x, gain = ctx.saved_tensors
        grad_x = _ops.channel_scale(grad_out, gain) if ctx.needs_input_grad[0] else None
        grad_gain = None
        if ctx.needs_input_grad[1]:
            # TODO(channel_scale): repair: autograd refuses the gradient of gain, about 1 line.
            grad_gain = _ops.multiply(grad_out, x)
        return grad_x, grad_gain


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return _ops.multiply(x, x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return _ops.square_backward(grad_out, x)


class ScaledTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float) -> Tensor:
        out = _ops.scaled_tanh(x, scale)
        ctx.save_for_backward(out)
        ctx.scale = scale
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> tuple[Gradient, ...]:
        (out,) = ctx.saved_tensors
        return _ops.scaled_tanh_backward(grad_out, out, ctx.scale), None


def muladd(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a * b + c."""
    return Muladd.apply(a, b, c)


def mix(x: Tensor, weight: float, y: Tensor) -> Tensor:
    """x for weight 0, y for weight 1, and linear in between."""
    return Mix.apply(x, weight, y)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return Sigmoid.apply(x)


def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x)."""
    return Silu.apply(x)


def channel_scale(x: Tensor, gain: Tensor) -> Tensor:
    """x of (images, channels, length), every channel times its value of gain."""
    return ChannelScale.apply(x, gain)


def square(x: Tensor) -> Tensor:
    """x * x."""
    return Square.apply(x)


def scaled_tanh(x: Tensor, scale: float) -> Tensor:
    """tanh(scale * x)."""
    return ScaledTanh.apply(x, scale)
