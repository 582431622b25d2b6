from __future__ import annotations

from functools import partial
from typing import Any, Literal, Mapping, get_args

import torch

import grader

grader.load("strides_and_indices", ["kernel.cu", "accessors.cu", "binding.cpp"], is_python_module=False)
By = Literal["pointers", "accessors"]
OPS: Any = torch.ops.strides_and_indices
TABLE: Mapping[str, Any] = dict(zip(get_args(By), (OPS.by_pointers, OPS.by_accessors), strict=True))


class AbsoluteDifference(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, by: By) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return TABLE[by](a, b)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None, None]:
        a, b = ctx.saved_tensors
        slope = partial(OPS.slope, grad=grad_out)
        in_order = ((a, b), (b, a))
        first, second = (slope(x, y) if need else None for (x, y), need in zip(in_order, ctx.needs_input_grad))
        return first, second, None


def difference(a: torch.Tensor, b: torch.Tensor, by: By = "pointers") -> torch.Tensor:
    return AbsoluteDifference.apply(a, b, by)
