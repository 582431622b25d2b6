"""Negates a float32 tensor."""

import torch

from grader.specification import Case, drawn, tensor

ENTRY = "negate"


def reference(x: torch.Tensor) -> torch.Tensor:
    return -x


CASES = [
    Case("one element", [tensor(1)]),
    Case("a partial last block", [tensor(300)]),
    Case("two dimensions", [tensor((5, 67))]),
    Case("sizes of this verdict", sizes=drawn(lambda n: [tensor(n)], n=(65_537, 70_000))),
]
