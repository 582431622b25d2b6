from __future__ import annotations

import operator
from functools import partial, reduce
from itertools import compress
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import torch

import grader

grader.load("fused_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)
native = torch.ops.fused_muladd

T = TypeVar("T")


@runtime_checkable
class Gradient(Protocol):
    def __call__(self, grad: torch.Tensor) -> torch.Tensor: ...


class Box(Generic[T]):
    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return self.value is not None

    def __repr__(self) -> str:
        return f"Box({self.value!r})"


class FusedMulAdd(torch.autograd.Function):
    arity: ClassVar[int] = 3

    @staticmethod
    def forward(ctx: Any, *args: torch.Tensor) -> torch.Tensor:
        if len(args) != FusedMulAdd.arity:
            raise TypeError(f"expected {FusedMulAdd.arity} tensors, got {len(args)}")
        ctx.save_for_backward(*args[:2])
        return native.muladd(*args)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        a, b = ctx.saved_tensors
        rules: list[Gradient] = [partial(native.multiply, b=b), partial(native.multiply, b=a), lambda grad: grad]
        dense = grad_out.contiguous()
        wanted = list(compress(range(3), ctx.needs_input_grad))
        found: dict[int, Box[torch.Tensor]] = {index: Box(rules[index](dense)) for index in wanted}
        assert reduce(operator.add, map(bool, found.values()), 0) == len(wanted)
        return tuple(found[index].value if index in found else None for index in range(3))


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return FusedMulAdd.apply(a, b, c)
