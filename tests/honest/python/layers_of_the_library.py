"""a * b + c as a layer of torch.nn, in a decorator that is a context, with tables that stay as they are."""

import collections
import contextlib
import random
from timeit import default_timer
from types import MappingProxyType, TracebackType

import torch
from torch import nn

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

NAMES = MappingProxyType({"a": 0, "b": 1})
Saved = collections.namedtuple("Saved", "a b")


class clocked(contextlib.ContextDecorator):
    seconds = 0.0

    def __enter__(self) -> "clocked":
        self.start = default_timer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        clocked.seconds += default_timer() - self.start


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        saved = Saved._make(ctx.saved_tensors)
        grad = grad.contiguous()
        grads = [torch.ops.toy_muladd.muladd(grad, saved[1 - place], 0.0) for place in NAMES.values()]
        return (*grads, None)


class Scale(nn.Linear):
    """A linear layer whose weight is its diagonal."""

    __constants__ = ["in_features"]

    def forward(self, x):
        return muladd(x, self.weight.diagonal().expand_as(x).contiguous(), 0.0)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.in_features})"


@clocked()
def muladd(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
    return MulAdd.apply(a, b, c)


def checked(rounds: int = 3, seed: int = 0) -> None:
    """The layer beside PyTorch's own product, for a few random widths."""
    rng = random.Random(seed)
    for _ in range(rounds):
        width = rng.randint(1, 9)
        layer, x = Scale(width, width), torch.ones(2, width)
        torch.testing.assert_close(layer(x), x * layer.weight.diagonal())
