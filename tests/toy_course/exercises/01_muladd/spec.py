"""Multiplies two tensors and adds a number."""

import torch

from grader.specification import Case, Gradient, tensor

ENTRY = "muladd"


def reference(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
    return a * b + c


CASES = [
    Case("a partial last block", [tensor(300), tensor(300), 0.5]),
    Case("two dimensions", [tensor((5, 67)), tensor((5, 67)), -2.0]),
]

GRADIENT = Gradient(cases=[Case("odd shape", [tensor((3, 5), "float64"), tensor((3, 5), "float64"), 1.5])])
