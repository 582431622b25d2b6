"""bias_softmax: softmax(x + bias) along the last dimension. You write the tests of what op.py promises."""

from typing import Any

import torch

from grader.specification import Case, Gradient, Refusal, TensorSpec, Tests, tensor

ENTRY = "bias_softmax"
TESTS = Tests("test_op.py", seconds=20)


def reference(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x + bias, -1)


def inputs(shape: int | tuple[int, ...], dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    columns = shape if isinstance(shape, int) else shape[-1]
    return [tensor(shape, dtype, low=-4, high=4, **more), tensor(columns, dtype)]


FIXED_SIZES = (
    "Your tests choose the sizes; these cases show that the implementations are what they are said to be."
)

# The course's own tests check this much of every implementation that your tests have to accept.
CASES = [
    Case("a full block", inputs((3, 128))),
    Case("one element", inputs((1, 1))),
    Case("odd sizes", inputs((5, 77))),
    Case("more columns than threads", inputs((2, 300))),
    Case("more rows than a grid is wide", inputs((300, 3))),
    Case("no leading dimension", inputs(9)),
    Case("three leading dimensions", inputs((2, 3, 2, 5))),
    Case("no rows", inputs((0, 4))),
    Case("no columns", inputs((4, 0))),
    Case("float16", inputs((4, 33), "float16")),
    Case("float64", inputs((4, 33), "float64")),
    Case("x transposed", inputs((6, 9), layout="transposed")),
    Case("every second value of bias", [tensor((4, 10)), tensor(10, layout="sliced")]),
    Case("large values", [tensor((4, 20), special="large"), tensor(20)]),
    Case("not-a-number stays in its row", [tensor((8, 20), special="nan"), tensor(20)]),
    Case("on a side stream", inputs((20, 30)), stream="side"),
    Case("on the second device", [tensor((4, 6), device="cuda:1"), tensor(6, device="cuda:1")]),
]

REFUSALS = [
    Refusal("bias is longer than a row", [tensor((4, 6)), tensor(7)], mentions=["bias"]),
    Refusal("bias is a matrix", [tensor((4, 6)), tensor((1, 6))], mentions=["bias"]),
    Refusal("bias is float64", [tensor((4, 6)), tensor(6, "float64")], mentions=["bias"]),
    Refusal("bias on the CPU", [tensor((4, 6)), tensor(6, device="cpu")], mentions=["bias"]),
    Refusal("x has no dimension", [tensor(()), tensor(1)], mentions=["x"]),
    Refusal("x on the CPU", [tensor((4, 6), device="cpu"), tensor(6)], mentions=["x"]),
    Refusal("x of whole numbers", [tensor((4, 6), "int32"), tensor(6, "int32")], mentions=["x"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs((3, 5), "float64")),
        Case("float64, three dimensions", inputs((2, 2, 3), "float64")),
        Case("more columns than threads", inputs((2, 300))),
    ]
)


def tolerances(dtype: torch.dtype) -> tuple[float, float]:
    """Sums of up to 300 terms, |z| of some hundreds; and zeros that are the difference of equal numbers.

    The gradient for a constant cotangent is zero up to rounding, which no relative tolerance allows for.
    """
    eps = torch.finfo(torch.float64 if dtype == torch.float64 else torch.float32).eps
    return torch.finfo(dtype).eps + 1000 * eps, 64 * eps


def traffic(x: torch.Tensor, bias: torch.Tensor) -> int:
    """Read x and bias, write out."""
    return (2 * x.numel() + bias.numel()) * x.element_size()


def flops(x: torch.Tensor, bias: torch.Tensor) -> int:
    """Sum, comparison, difference, exponential, sum and quotient."""
    return 6 * x.numel()


PROFILE = Case("64 rows of 512", inputs((64, 512)))
