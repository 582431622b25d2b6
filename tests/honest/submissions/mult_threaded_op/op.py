import threading
import typing

import torch

import grader

if typing.TYPE_CHECKING:
    from collections.abc import Sequence


class _Lazy:
    def __init__(self, name: str, sources: "Sequence[str]") -> None:
        self._lock = threading.RLock()
        self._native: typing.Any = None
        self.library, self.sources = name, list(sources)

    def multiply_out(self, *tensors: torch.Tensor) -> None:
        with self._lock:
            if self._native is None:
                self._native = grader.load("elementwise_mult", ["kernel.cu"])
        native = self._native
        native.multiply_out(*tensors)


extension = _Lazy("elementwise_mult", ("kernel.cu",))


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    result = a.new_empty(a.shape)
    extension.multiply_out(a, b, result)
    return result


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return product(a, b)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        grad_a: typing.Optional[torch.Tensor] = None
        grad_b: typing.Optional[torch.Tensor] = None
        if ctx.needs_input_grad[0]:
            grad_a = product(grad, b)
        if ctx.needs_input_grad[1]:
            grad_b = product(grad, a)
        return grad_a, grad_b


def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return Product.apply(a, b)
