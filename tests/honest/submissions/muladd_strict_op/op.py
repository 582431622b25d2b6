"""Fused multiply-add."""

import enum
import sys
import textwrap
import threading
from typing import Any, Final, Literal, assert_never

import torch
from typing_extensions import Self, override

import grader

try:
    from typing import Never
except ImportError:
    from typing_extensions import Never

_LOCK: Final = threading.Lock()
_LOADED: set[str] = set()


class Side(enum.StrEnum):
    LEFT = "a"
    RIGHT = "b"
    SUM = "c"


class Counter:
    """Counts calls, for a look from a debugger."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> Self:
        self.calls += 1
        return self

    def __exit__(self, *exception: object) -> Literal[False]:
        return False


class Quiet(Counter):
    @override
    def __enter__(self) -> Self:
        return self


assert sys.version_info >= (3, 11), sys.version
COUNTER = Counter() if __debug__ else Quiet()

with _LOCK:
    if "fused_muladd" not in _LOADED:
        grader.load("fused_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)
        _LOADED.add("fused_muladd")


def unknown(side: Never) -> Never:
    assert_never(side)


def gradient(side: Side, grad: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if side is Side.LEFT:
        return torch.ops.fused_muladd.multiply(grad, b)
    elif side is Side.RIGHT:
        return torch.ops.fused_muladd.multiply(grad, a)
    elif side is Side.SUM:
        return grad
    else:
        unknown(side)


class MulAdd(torch.autograd.Function):
    __doc__ = textwrap.dedent(
        """
        a * b + c
        """
    )

    @staticmethod
    def forward(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        with COUNTER:
            return torch.ops.fused_muladd.muladd.default(a, b, c)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        a, b, _ = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        a, b = ctx.saved_tensors
        dense = grad_out.contiguous()
        return tuple(
            gradient(side, dense, a, b) if needed else None
            for side, needed in zip(Side, ctx.needs_input_grad, strict=True)
        )


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return MulAdd.apply(a, b, c)
