from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

import grader

P = ParamSpec("P")
R = TypeVar("R")
RULES: dict[str, Callable[..., torch.Tensor]] = {}


def rule(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def register(function: Callable[P, R]) -> Callable[P, R]:
        RULES[name] = function
        return function

    return register


def _load() -> Any:
    grader.load("naive_matmul", ["kernel.cu", "binding.cpp"], is_python_module=False)
    return torch.ops.naive_matmul.matmul


_matmul = _load()


@rule("a")
def _gradient_of_a(grad: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return _matmul(grad, b.transpose(0, 1).contiguous())


@rule("b")
def _gradient_of_b(grad: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return _matmul(a.mT.contiguous(), grad)


@dataclass(slots=True)
class Operands:
    a: torch.Tensor
    b: torch.Tensor
    names: tuple[str, ...] = field(default=("a", "b"), repr=False)

    def __post_init__(self) -> None:
        self.a, self.b = (x if x.is_contiguous() else x.contiguous() for x in (self.a, self.b))

    def __iter__(self):
        yield from (self.a, self.b)


class _MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return _matmul(a, b)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        a, b = ctx.saved_tensors
        grad = grad_out.contiguous()
        return *(RULES[name](grad, a, b) if need else None for name, need in zip("ab", ctx.needs_input_grad)),


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of two matrices."""
    return _MatMul.apply(*Operands(a, b))
