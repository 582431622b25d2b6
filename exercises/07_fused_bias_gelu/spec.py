"""bias_gelu: gelu(x + bias) in its tanh form, x of (..., columns), bias of (columns,), with gradients."""

import math
from typing import Any

import torch

from grader.specification import Case, Gradient, Refusal, Speed, TensorSpec, drawn, tensor

ENTRY = "bias_gelu"


def reference(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x + bias, approximate="tanh")


def erf_form(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x + bias)


def constant_cubic(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    z = x + bias
    return 0.5 * z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + (0.044715 * z**3).detach())))


def tolerances(dtype: torch.dtype) -> tuple[float, float]:
    """At z = 5, where tanh is rounded to a neighbour of 1, the slope is 17 times the rounding error off.

    That is eps, and a cotangent of 3 makes 50 eps of it; PyTorch's own kernel has such errors, too. The
    gradient of bias adds up to 300 numbers of size 1: one after the other, that is another 50 eps.
    """
    eps = torch.finfo(dtype).eps
    return 32 * eps, 256 * eps


CONFUSED = {
    "the exact GELU, with erf": erf_form,
    "GELU with its cubic term taken for a constant": constant_cubic,
}


def inputs(
    shape: int | tuple[int, ...], dtype: str = "float32", limit: float = 4, **more: Any
) -> list[TensorSpec]:
    """x and bias, wide enough to reach both flat ends of GELU."""
    columns = shape if isinstance(shape, int) else shape[-1]
    return [tensor(shape, dtype, low=-limit, high=limit, **more), tensor(columns, dtype, low=-1, high=1)]


CASES = [
    Case("a full block", inputs((8, 32)), launch_errors=True),
    Case("one element", [tensor((1, 1), low=0.5, high=3), tensor(1, low=-1, high=1)]),
    Case("one row, no leading dimension", inputs(77)),
    Case("one column", inputs((300, 1))),
    Case("odd sizes", inputs((13, 71))),
    Case("three leading dimensions", inputs((3, 2, 5, 17))),
    Case("float64", inputs((9, 31), "float64")),
    Case("x transposed: the bias must stay on its columns", inputs((40, 40), layout="transposed")),
    Case("x transposed, not square", inputs((12, 30), layout="transposed")),
    Case("every second column of x", inputs((11, 20), layout="sliced")),
    Case("x permuted as channels_last", inputs((4, 6, 10), layout="permuted")),
    Case("x expanded over the rows", inputs((14, 25), layout="expanded")),
    Case("every second value of bias", [tensor((6, 33)), tensor(33, layout="sliced")]),
    Case("no rows", inputs((0, 8))),
    Case("no columns", inputs((5, 0))),
    Case("large values", [tensor((10, 50), special="large"), tensor(50)]),
    Case("not-a-number goes through", [tensor((10, 50), special="nan"), tensor(50)]),
    Case("on a side stream", inputs((20, 60)), stream="side"),
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda rows, columns: inputs((rows, columns)),
            rows=(1, 5000),
            columns=(1, 70_000),
            where=lambda rows, columns: 1 << 16 < rows * columns < 90_000,
        ),
    ),
]

REFUSALS = [
    Refusal("bias is longer than a row", [tensor((4, 6)), tensor(7)], mentions=["bias", "shape"]),
    Refusal("bias has a value for each row", [tensor((4, 6)), tensor(4)], mentions=["bias", "shape"]),
    Refusal("bias is a matrix", [tensor((4, 6)), tensor((1, 6))], mentions=["bias", "shape"]),
    Refusal("x has no dimension", [tensor(()), tensor(1)], mentions=["x", "dimension"]),
    Refusal("bias is float64", [tensor((4, 6)), tensor(6, "float64")], mentions=["bias", "double"]),
    Refusal("x on the CPU", [tensor((4, 6), device="cpu"), tensor(6)], mentions=["x", "CUDA"]),
    Refusal("bias on the CPU", [tensor((4, 6)), tensor(6, device="cpu")], mentions=["bias", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs((7, 5), "float64", limit=2), launch_errors=True),
        Case("float64, three dimensions", inputs((2, 3, 4), "float64", limit=2)),
        Case("float64, transposed", inputs((4, 6), "float64", layout="transposed", limit=2)),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda rows, columns: inputs((rows, columns)),
                rows=(2, 300),
                columns=(5, 2000),
                where=lambda rows, columns: 1024 < rows * columns < 4000,
            ),
        ),
        Case("float32, large values", [tensor((6, 20), special="large"), tensor(20)]),
        Case("one row", inputs(9, "float64", limit=2)),
        Case("no rows", inputs((0, 8), "float64")),
        Case("on a side stream", inputs((9, 10)), stream="side"),
    ],
)


def accumulation(x: torch.Tensor, bias: torch.Tensor) -> int:
    """grad_bias adds up one number for every row."""
    return max(1, x.numel() // max(1, bias.numel()))


def traffic(x: torch.Tensor, bias: torch.Tensor) -> int:
    """Read x and bias, write out; the sum x + bias never exists in memory."""
    return (2 * x.numel() + bias.numel()) * x.element_size()


def flops(x: torch.Tensor, bias: torch.Tensor) -> int:
    """One sum, then z + c z z z, its scaling, 1 + t and two products: 9 operations and one tanh."""
    return 9 * x.numel()


SPEED = Speed(
    [tensor((4096, 4096)), tensor(4096)],
    baseline="torch.nn.functional.gelu(x + bias, approximate='tanh')",
)

PROFILE = Case("128 rows of 512", inputs((128, 512)))
