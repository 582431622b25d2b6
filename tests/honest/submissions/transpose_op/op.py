import functools
import math
from typing import Any

import torch

import grader

grader.load("transpose", ["kernel.cu", "binding.cpp"], is_python_module=False)


@functools.total_ordering
class Extent:
    """Rows and columns, in order of how many elements they are."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    @functools.cached_property
    def elements(self) -> int:
        return math.prod(self.sizes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and self.elements == other.elements

    def __lt__(self, other: "Extent") -> bool:
        return self.elements < other.elements

    def __hash__(self) -> int:
        return hash(self.sizes)

    def __invert__(self) -> "Extent":
        return Extent(*reversed(self.sizes))


class Transposed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: torch.Tensor) -> torch.Tensor:
        result = torch.ops.transpose.transpose(matrix)
        assert Extent(*result.shape) == ~Extent(*matrix.shape) <= Extent(*matrix.shape)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        dense = gradient.clone(memory_format=torch.contiguous_format) if not gradient.is_contiguous() else gradient
        return Transposed.apply(dense)


transpose = Transposed.apply
