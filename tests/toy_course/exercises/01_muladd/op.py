"""a * b + c with its gradients, for contiguous floating-point CUDA tensors a and b and a number c."""

from typing import Any

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        # TODO(backward): return one gradient per argument of forward, about 4 lines.
        raise NotImplementedError("TODO(backward)")


def muladd(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
    return MulAdd.apply(a, b, c)
