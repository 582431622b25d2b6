"""sqdist: squared distances of the points of x, (..., n, d), to those of y, (..., m, d): (..., n, m)."""

from typing import Any

import torch

from grader.specification import (
    Case,
    Dispatcher,
    Gradient,
    Mapped,
    Operator,
    Refusal,
    Speed,
    TensorSpec,
    drawn,
    tensor,
)

ENTRY = "sqdist"


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x.unsqueeze(-2) - y.unsqueeze(-3)).square().sum(-1)


def points(
    n: int, m: int, d: int, batch: tuple[int, ...] = (), dtype: str = "float32", **more: Any
) -> list[TensorSpec]:
    """x of n points and y of m, in d dimensions."""
    return [tensor((*batch, n, d), dtype, **more), tensor((*batch, m, d), dtype, **more)]


CASES = [
    Case("a full block", points(16, 8, 4), launch_errors=True),
    Case("one point each, in one dimension", points(1, 1, 1)),
    Case("odd sizes", points(13, 29, 5)),
    Case("a batch", points(5, 7, 3, batch=(4,))),
    Case("two batch dimensions", points(3, 4, 6, batch=(2, 3))),
    Case("float64", points(9, 11, 3, dtype="float64")),
    Case("x transposed", [tensor((12, 10), layout="transposed"), tensor((7, 10))]),
    Case("every second coordinate of y", [tensor((6, 5)), tensor((8, 5), layout="sliced")]),
    Case("one set for the whole batch", [tensor((3, 6, 5), layout="expanded"), tensor((3, 8, 5))]),
    Case("no points in x", points(0, 4, 3)),
    Case("no points in y", points(4, 0, 3)),
    Case("no dimensions: every distance is 0", points(4, 3, 0)),
    Case("large values", points(10, 12, 3, special="large")),
    Case("not-a-number goes through", points(10, 12, 3, special="nan")),
    Case("on a side stream", points(20, 30, 4), stream="side"),
    # More pairs than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda n, m, d: points(n, m, d),
            n=(17, 4000),
            m=(17, 4000),
            d=(1, 4),
            where=lambda n, m, d: n * m > 1 << 16 and n * m * d < 150_000,
        ),
    ),
]

REFUSALS = [
    Refusal("x is one point", [tensor(3), tensor(3)], mentions=["x", "shape"]),
    Refusal("y has other dimensions", [tensor((4, 3)), tensor((5, 2))], mentions=["y", "shape"]),
    Refusal("y has another batch", [tensor((2, 4, 3)), tensor((3, 4, 3))], mentions=["y", "shape"]),
    Refusal("y has no batch", [tensor((2, 4, 3)), tensor((4, 3))], mentions=["y", "shape"]),
    Refusal("y is float64", [tensor((4, 3)), tensor((5, 3), "float64")], mentions=["y", "double"]),
    Refusal("y on the CPU", [tensor((4, 3)), tensor((5, 3), device="cpu")], mentions=["y", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", points(4, 3, 2, dtype="float64"), launch_errors=True),
        Case("float64, a batch", points(2, 3, 2, batch=(2,), dtype="float64")),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda n, m, d: points(n, m, d),
                n=(17, 90),
                m=(17, 90),
                d=(17, 90),
                where=lambda n, m, d: n * m > 1024 and n * d > 1024 and m * d > 1024 and n * m * d < 60_000,
            ),
        ),
        Case("no points in y", points(4, 0, 3)),
        Case("on a side stream", points(9, 10, 3), stream="side"),
    ],
    unrequested=True,
)

DISPATCHER = Dispatcher(
    operators=[
        Operator(
            "pairwise::sqdist",
            [
                Case("two sets", points(5, 4, 3)),
                Case("a batch, float64", points(3, 5, 2, batch=(4,), dtype="float64")),
                Case("x transposed", [tensor((6, 2), layout="transposed"), tensor((7, 2))]),
            ],
        ),
        Operator(
            "pairwise::sqdist_backward",
            [
                Case("two sets", [tensor((5, 4)), *points(5, 4, 3)]),
                Case("a batch, float64", [tensor((4, 3, 5), "float64"), *points(3, 5, 2, (4,), "float64")]),
                Case(
                    "transposed", [tensor((6, 7), layout="transposed"), *points(6, 7, 2, layout="transposed")]
                ),
            ],
            arguments=("grad", "x", "y"),
            differentiable=False,
        ),
    ],
    compiled=[
        Case("9 points and 4", points(9, 4, 3)),
        Case("5 points and 11", points(5, 11, 3)),
        Case("6 points and 8, in 2 dimensions", points(6, 8, 2)),
    ],
    mapped=[
        Mapped("x alone", [tensor((6, 5, 3)), tensor((4, 3))], in_dims=(0, None)),
        Mapped("y alone, along its second dimension", [tensor((5, 3)), tensor((4, 6, 3))], in_dims=(None, 1)),
        Mapped("both, of batches", [tensor((2, 5, 3, 4)), tensor((4, 2, 7, 3))], in_dims=(-1, 0)),
    ],
)


def accumulation(x: torch.Tensor, y: torch.Tensor) -> int:
    """A distance adds up d terms; a gradient adds up one term for each point on the other side."""
    return max(1, x.size(-1), x.size(-2), y.size(-2))


def traffic(x: torch.Tensor, y: torch.Tensor) -> int:
    """Read both sets, write one number for each pair."""
    pairs = x.numel() // max(1, x.size(-1)) * y.size(-2)
    return (x.numel() + y.numel() + pairs) * x.element_size()


def flops(x: torch.Tensor, y: torch.Tensor) -> int:
    """A difference, a product and a sum for each coordinate of each pair."""
    return 3 * x.numel() * y.size(-2)


SPEED = Speed([tensor((4096, 16)), tensor((4096, 16))], baseline="torch.cdist(x, y).square()")

PROFILE = Case("128 points and 256, in 8 dimensions", points(128, 256, 8))
