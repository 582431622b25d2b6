"""row_sums: x.sum(1) for contiguous float32 matrices."""

import torch

from grader.specification import Case, Refusal, drawn, tensor

ENTRY = "row_sums"


def reference(x: torch.Tensor) -> torch.Tensor:
    return x.sum(1)


CASES = [
    Case("as many columns as threads", [tensor((8, 128))]),
    Case("one element", [tensor((1, 1))]),
    Case("several rows for every block", [tensor((37, 200))]),
    Case("fewer columns than threads", [tensor((9, 50))]),
    Case("no columns: zeros", [tensor((5, 0))]),
    Case("no rows", [tensor((0, 7))]),
    Case("on a side stream", [tensor((20, 300))], stream="side"),
    # More rows than a small grid has blocks, and more columns than a block has threads.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda rows, columns: [tensor((rows, columns))],
            rows=(33, 3000),
            columns=(9, 2000),
            where=lambda rows, columns: 1 << 16 < rows * columns < 90_000,
        ),
    ),
]

REFUSALS = [
    Refusal("a vector", [tensor(4)], mentions=["x", "dimension"]),
    Refusal("float64", [tensor((4, 4), "float64")], mentions=["x", "float32"]),
    Refusal("transposed", [tensor((4, 5), layout="transposed")], mentions=["x", "contiguous"]),
]


def accumulation(x: torch.Tensor) -> int:
    return max(1, x.shape[1])


def traffic(x: torch.Tensor) -> int:
    """Read x, write one sum for each row."""
    return (x.numel() + x.shape[0]) * x.element_size()


def flops(x: torch.Tensor) -> int:
    return x.numel()


PROFILE = Case("64 rows of 1,024", [tensor((64, 1024))])
