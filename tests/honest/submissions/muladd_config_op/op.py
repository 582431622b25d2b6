"""Fused multiply-add."""

from __future__ import annotations

import enum
import sys
import warnings
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from typing import Any, Generator, NamedTuple

import torch
from torch.autograd.function import once_differentiable

import grader

SOURCES: list[str] = ["kernel.cu", "binding.cpp"]
SUPPORTED = frozenset({torch.float32, torch.float64})


class Operand(enum.IntEnum):
    A = 0
    B = 1
    C = 2

    @property
    def label(self) -> str:
        return self.name.lower()

    def __str__(self) -> str:
        return f"operand {self.label!r}"


class Grads(NamedTuple):
    a: torch.Tensor | None = None
    b: torch.Tensor | None = None
    c: torch.Tensor | None = None


@lru_cache(maxsize=None)
def ops() -> Any:
    grader.load("fused_muladd", SOURCES, is_python_module=False)
    return torch.ops.fused_muladd


def describe(tensor: torch.Tensor) -> str:
    match tensor.dtype:
        case torch.float32:
            kind = "single"
        case torch.float64:
            kind = "double"
        case other:
            kind = f"{'unsupported'} ({other})"
    return f"{kind} {'x'.join(str(n) for n in tensor.shape)}"


@contextmanager
def explained(*tensors: torch.Tensor) -> Generator[None, None, None]:
    """Say which shapes were passed where an operator raises."""
    try:
        yield
    except RuntimeError as error:
        shapes = "; ".join(f"{Operand(i)!s}: {describe(t)}" for i, t in enumerate(tensors))
        raise RuntimeError(f"{error} [{shapes}]") from error


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        ctx.set_materialize_grads(False)
        with explained(a, b, c):
            return ops().muladd(a, b, c)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor | None) -> Grads | tuple:
        if grad_out is None:
            return None, None, None
        a, b = ctx.saved_tensors
        if not (dense := grad_out).is_contiguous():
            dense = grad_out.contiguous()
        wanted = {which for which in Operand if ctx.needs_input_grad[which]}
        grads = Grads(
            a=ops().multiply(dense, b) if Operand.A in wanted else None,
            b=ops().multiply(dense, a) if Operand.B in wanted else None,
        )
        if Operand.C in wanted:
            grads = grads._replace(c=dense)
        return tuple(grads)


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c for contiguous float32 or float64 CUDA tensors of one shape and dtype."""
    half = torch.float16
    if a.dtype is half:
        warnings.warn("half precision is not supported", stacklevel=2)
    return MulAdd.apply(a, b, c)
