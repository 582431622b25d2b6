"""matmul: a @ b for float32 or float64 matrices of any layout, with gradients."""

from typing import Any

import torch

from grader.specification import Case, Gradient, Refusal, Speed, TensorSpec, drawn, tensor

ENTRY = "matmul"


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def pair(m: int, k: int, n: int, dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    return [tensor((m, k), dtype, **more), tensor((k, n), dtype, **more)]


CASES = [
    Case("one full block", pair(8, 16, 32), launch_errors=True),
    Case("one element", pair(1, 1, 1)),
    Case("odd sizes", pair(7, 5, 9)),
    Case("one row more and one column more than a block", pair(9, 40, 33)),
    Case("a row times a matrix", pair(1, 50, 70)),
    Case("a matrix times a column", pair(45, 20, 1)),
    Case("float64", pair(13, 21, 34, "float64")),
    Case("transposed operands", pair(17, 12, 19, layout="transposed")),
    Case("every second column", pair(10, 14, 18, layout="sliced")),
    Case("an expanded b", [tensor((6, 11)), tensor((11, 40), layout="expanded")]),
    Case("nothing to add up: zeros", pair(5, 0, 6)),
    Case("an empty result", pair(0, 4, 6)),
    Case("large values", [tensor((20, 30), special="large"), tensor((30, 20), special="large")]),
    Case("not-a-number goes through", [tensor((9, 8), special="nan"), tensor((8, 9))]),
    Case(
        "zero times not-a-number is not-a-number",
        [tensor((9, 8), special="nan"), tensor((8, 9), special="zeros")],
    ),
    Case(
        "zero times infinity is not-a-number",
        [tensor((9, 8), special="zeros"), tensor((8, 9), special="inf")],
    ),
    Case("on a side stream", pair(24, 24, 40), stream="side"),
    # A result of more elements than 64 blocks of 256 threads compute without a loop, of sums so short that a
    # simulated GPU gets through them.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            pair,
            m=(9, 2000),
            k=(1, 60),
            n=(9, 2000),
            where=lambda m, k, n: m * n > 1 << 14 and m * n * k < 130_000,
        ),
    ),
]

REFUSALS = [
    Refusal("inner sizes differ", [tensor((3, 4)), tensor((5, 6))], mentions=["b", "rows"]),
    Refusal("b is not transposed", [tensor((3, 4)), tensor((3, 4))], mentions=["b", "rows"]),
    Refusal("a is a vector", [tensor(4), tensor((4, 4))], mentions=["a", "dimension"]),
    Refusal("b has a batch dimension", [tensor((4, 4)), tensor((2, 4, 4))], mentions=["b", "dimension"]),
    Refusal("b is float64", [tensor((4, 4)), tensor((4, 4), "float64")], mentions=["b", "double"]),
    Refusal("a on the CPU", [tensor((4, 4), device="cpu"), tensor((4, 4))], mentions=["a", "CUDA"]),
    Refusal("b on the CPU", [tensor((4, 4)), tensor((4, 4), device="cpu")], mentions=["b", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", pair(7, 5, 9, "float64")),
        Case("float64, transposed", pair(4, 6, 3, "float64", layout="transposed")),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                pair,
                m=(25, 70),
                k=(25, 70),
                n=(25, 70),
                where=lambda m, k, n: min(m * n, m * k, k * n) > 1024 and m * n * k < 50_000,
            ),
        ),
        Case("nothing to add up", pair(3, 0, 2, "float64")),
        Case("on a side stream", pair(9, 10, 11), stream="side"),
    ],
    unrequested=True,
)


def accumulation(a: torch.Tensor, b: torch.Tensor) -> int:
    """out adds up k products, grad_a n of them, grad_b m of them."""
    return max(*a.shape, *b.shape, 1)


def traffic(a: torch.Tensor, b: torch.Tensor) -> int:
    """The least that any kernel can move: each operand once, the result once. This kernel reads far more."""
    return (a.numel() + b.numel() + a.shape[0] * b.shape[1]) * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor) -> int:
    return 2 * a.shape[0] * a.shape[1] * b.shape[1]


# The library's product is the baseline; a kernel without tiles is far slower, and the steps allow for that.
SPEED = Speed(
    [tensor((1024, 1024)), tensor((1024, 1024))],
    baseline="a @ b",
    steps=((0.01, 0.25), (0.03, 0.5), (0.06, 1.0)),
)

PROFILE = Case("128 x 128 x 128", pair(128, 128, 128))
