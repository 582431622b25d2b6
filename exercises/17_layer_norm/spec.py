"""layer_norm: every row of x of (..., columns) to mean 0 and variance 1, then weight and bias; with gradients."""

from typing import Any

import torch

from grader.spec import Argument, Case, Efficiency, Gradient, Limit, Refusal, Speed, tensor

ENTRY = "layer_norm"
EPS = 1e-5
SECTOR = 32  # bytes: the least that global memory reads or writes


def reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


def inputs(
    shape: int | tuple[int, ...], dtype: str = "float32", mean: float = 0, spread: float = 1, **more: Any
) -> list[Argument]:
    """x within `spread` of `mean`, weight away from 0, bias, eps."""
    columns = shape if isinstance(shape, int) else shape[-1]
    x = tensor(shape, dtype, low=mean - spread, high=mean + spread, **more)
    return [x, tensor(columns, dtype, low=0.5, high=2), tensor(columns, dtype), EPS]


def plain(shape: tuple[int, ...], **more: Any) -> list[Argument]:
    """The same with a weight of ones and a bias of zeros: the normalised rows themselves."""
    x, _, _, eps = inputs(shape, **more)
    return [x, tensor(shape[-1], special="ones"), tensor(shape[-1], special="zeros"), eps]


CASES = [
    Case("a warp for a row", plain((4, 32))),
    Case("weight and bias", inputs((4, 32))),
    Case("one row, no leading dimension", inputs(64)),
    Case("three leading dimensions", inputs((2, 3, 5, 20))),
    Case("513 columns, unequal shares", plain((3, 513))),
    Case("1,000 columns, several warps", inputs((5, 1000))),
    Case("8,195 columns, more than a block holds", inputs((2, 8195))),
    Case("7 columns, fewer than lanes", inputs((9, 7))),
    Case("two columns", inputs((30, 2))),
    Case("one column", inputs((5, 1))),
    Case("one element", inputs((1, 1))),
    Case("float64", inputs((3, 301), "float64")),
    Case("a spread of 0.001, where eps counts", plain((4, 96), spread=1e-3)),
    Case("constant rows", [tensor((3, 50), low=0.1, high=0.1), tensor(50), tensor(50), EPS]),
    Case("rows of zeros", [tensor((3, 40), special="zeros"), tensor(40), tensor(40), EPS]),
    Case("a mean of 100, a spread of 1", plain((6, 300), mean=100)),
    Case("a mean of 10,000, a spread of 1", plain((1, 60), mean=1e4)),
    Case("a mean of -1,000, a spread of 1", inputs((1, 62), mean=-1e3)),
    Case("large values", [tensor((6, 80), special="large"), tensor(80), tensor(80), EPS]),
    Case("not-a-number fills its row", inputs((12, 40), special="nan")),
    Case("a large eps", [*inputs((4, 48))[:3], 0.5]),
    Case("x begins in the middle of a sector", inputs((5, 64), layout="offset")),
    Case("weight begins in the middle of a sector",
         [tensor((4, 64)), tensor(64, layout="offset"), tensor(64), EPS]),
    Case("x transposed", inputs((20, 30), layout="transposed")),
    Case("every second column of x", inputs((11, 20), layout="sliced")),
    Case("x expanded over the rows", inputs((14, 25), layout="expanded")),
    Case("every second value of weight", [tensor((6, 33)), tensor(33, layout="sliced"), tensor(33), EPS]),
    Case("no rows", inputs((0, 8))),
    Case("no columns", inputs((5, 0))),
    Case("on a side stream", inputs((20, 60)), stream="side"),
]  # fmt: skip

REFUSALS = [
    Refusal("weight is longer than a row", [tensor((4, 6)), tensor(7), tensor(6), EPS], ["weight", "shape"]),
    Refusal("bias has a value for each row", [tensor((4, 6)), tensor(6), tensor(4), EPS], ["bias", "shape"]),
    Refusal("weight is a matrix", [tensor((4, 6)), tensor((4, 6)), tensor(6), EPS], ["weight", "shape"]),
    Refusal("x has no dimension", [tensor(()), tensor(1), tensor(1), EPS], ["x", "dimension"]),
    Refusal("bias is float64", [tensor((4, 6)), tensor(6), tensor(6, "float64"), EPS], ["bias", "like x"]),
    Refusal("x on the CPU", [tensor((4, 6), device="cpu"), tensor(6), tensor(6), EPS], ["x", "CUDA"]),
    Refusal(
        "weight on the CPU", [tensor((4, 6)), tensor(6, device="cpu"), tensor(6), EPS], ["weight", "cuda:0"]
    ),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs((7, 5), "float64")),
        Case("float64, three dimensions", inputs((2, 3, 4), "float64")),
        Case("float64, a small spread", inputs((4, 6), "float64", spread=0.01)),
        Case("float64, transposed", inputs((4, 6), "float64", layout="transposed")),
        Case("float32, several warps", inputs((13, 1000))),
        Case("float32, 40 rows of 33", inputs((40, 33))),
        Case("float32, 100 rows, several parts", inputs((100, 64))),
        Case("8,195 columns", inputs((3, 8195))),
        Case("one row", inputs(9, "float64")),
        Case("no rows", inputs((0, 8), "float64")),
        Case("on a side stream", inputs((20, 40)), stream="side"),
    ],
    unrequested=True,
)


def accumulation(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> int:
    """Forward adds up a row; the gradients of weight and bias add up a column."""
    columns = max(1, weight.numel())
    return max(1, columns, x.numel() // columns)


def traffic(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> int:
    """Read x, weight and bias, write out and two numbers for each row."""
    rows = x.numel() // max(1, weight.numel())
    return (2 * x.numel() + 2 * weight.numel() + 2 * rows) * x.element_size()


def flops(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> int:
    """Two for the mean, three for the squared distances, four for the result."""
    return 9 * x.numel()


def sectors(x: torch.Tensor, *others: object) -> int:
    return x.numel() * x.element_size() // SECTOR


SPEED = Speed(
    [tensor((8192, 4096)), tensor(4096), tensor(4096), EPS],
    baseline="torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)",
)

PROFILE = Case("64 rows of 512", inputs((64, 512)))
