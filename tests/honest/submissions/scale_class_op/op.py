import numbers
from typing import Any

import torch

import grader


class Scale:
    """x -> alpha * x on the GPU."""

    __slots__ = ("_operator",)

    def __init__(self) -> None:
        grader.load("first_kernel", ["kernel.cu", "binding.cpp"], is_python_module=False)
        self._operator: Any = torch.ops.first_kernel.scale

    def __call__(self, x: torch.Tensor, alpha: float) -> torch.Tensor:
        if not isinstance(alpha, numbers.Real):
            raise TypeError(f"alpha must be a real number, not {type(alpha).__name__}")
        return self._operator(x, float(alpha))


scale = Scale()
