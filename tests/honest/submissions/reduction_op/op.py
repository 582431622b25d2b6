from collections.abc import Callable, Mapping
from typing import Any, Final

import torch

import grader

grader.load("reduction", ["kernel.cu", "binding.cpp"], is_python_module=False)

WARP: Final[int] = 32
BLOCK: Final[int] = 256
_BY_WIDTH: Final[Mapping[int, Callable[[torch.Tensor], torch.Tensor]]] = {
    WARP: lambda x: torch.ops.reduction.warp_sums(x),
    BLOCK: lambda x: torch.ops.reduction.block_sums(x),
}


def _sums(x: torch.Tensor, *, width: int) -> torch.Tensor:
    try:
        function = _BY_WIDTH[width]
    except KeyError as error:
        raise ValueError(f"width must be one of {', '.join(map(str, _BY_WIDTH))}, not {width}") from error
    return function(x)


def warp_sums(x: torch.Tensor) -> torch.Tensor:
    return _sums(x, width=WARP)


def block_sums(x: torch.Tensor) -> torch.Tensor:
    return _sums(x, width=BLOCK)


def vector_sum(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.reduction.column_sums(x)


class _ColumnSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.input_shape = tuple(x.shape)
        ctx.mark_non_differentiable()
        return torch.ops.reduction.column_sums(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return torch.broadcast_to(grad, ctx.input_shape)


def column_sums(x: torch.Tensor) -> torch.Tensor:
    return _ColumnSums.apply(x)
