"""scale: y = alpha * x for float32 tensors of any shape."""

import torch

from grader.specification import Case, Refusal, drawn, tensor

ENTRY = "scale"


def reference(x: torch.Tensor, alpha: float) -> torch.Tensor:
    return alpha * x


CASES = [
    Case("one full block", [tensor(256), 2.0]),
    Case("one element", [tensor(1), -3.0]),
    Case("one thread short of a block", [tensor(255), 0.5]),
    Case("one element more than a block", [tensor(257), 2.0]),
    Case("a matrix", [tensor((37, 71)), 1.5]),
    Case("large values", [tensor(1000, special="large"), 1e-3]),
    Case("not-a-number goes through", [tensor(300, special="nan"), 2.0]),
    Case("zero times infinity is not-a-number", [tensor(400, special="inf"), 0.0]),
    Case("no elements", [tensor(0), 2.0]),
    # More than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case("sizes of this verdict", sizes=drawn(lambda n: [tensor(n), -1.0], n=(65_537, 131_072))),
]

REFUSALS = [
    Refusal("float64", [tensor(8, "float64"), 2.0], mentions=["x", "float32"]),
    Refusal("every second element", [tensor(8, layout="sliced"), 2.0], mentions=["x", "contiguous"]),
]


def traffic(x: torch.Tensor, alpha: float) -> int:
    """Read x, write y."""
    return 2 * x.numel() * x.element_size()


def flops(x: torch.Tensor, alpha: float) -> int:
    return x.numel()


PROFILE = Case("65,536 elements", [tensor(1 << 16), 2.0])
