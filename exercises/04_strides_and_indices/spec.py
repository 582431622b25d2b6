"""difference: |a - b| of two matrices with any strides, by two kernels, without a copy; with gradients."""

from typing import Any

import torch

from grader.spec import Case, Efficiency, Gradient, Limit, Refusal, tensor

ENTRY = "difference"


def reference(a: torch.Tensor, b: torch.Tensor, by: str) -> torch.Tensor:
    return torch.maximum(a, b) - torch.minimum(a, b)  # uint8 never falls below 0 on the way


POINTERS, ACCESSORS = "pointers", "accessors"
BYTES: dict[str, Any] = {"dtype": "uint8", "low": 0, "high": 255}


def pair(shape: tuple[int, ...], a: str = "contiguous", b: str = "contiguous", **more: Any) -> list[Any]:
    """Two tensors of one shape with layouts of their own."""
    return [tensor(shape, layout=a, **more), tensor(shape, layout=b, **more)]


def both(name: str, args: list[Any], **more: Any) -> list[Case]:
    """The case for either kernel."""
    return [Case(f"{name}, by {by}", [*args, by], **more) for by in (POINTERS, ACCESSORS)]


CASES = [
    *both("one row of a block", pair((1, 256))),
    *both("one element", pair((1, 1))),
    *both("odd sizes", pair((7, 45))),
    *both("one column", pair((301, 1))),
    *both("uint8, both ways round", pair((9, 70), **BYTES)),
    *both("float64", pair((17, 31), dtype="float64")),
    *both("a transposed", pair((30, 50), "transposed")),
    *both("b transposed", pair((30, 50), b="transposed")),
    *both("both transposed", pair((33, 9), "transposed", "transposed")),
    *both("every second column of a", pair((12, 40), "sliced")),
    *both("every second column of b, uint8", pair((12, 40), b="sliced", **BYTES)),
    *both("b is one row, expanded", pair((40, 35), b="expanded")),
    *both("a begins inside its storage", pair((20, 33), "offset", "sliced")),
    *both("more elements than threads", pair((513, 601))),
    *both("more rows than a grid has blocks in y", pair((65535 * 8 + 3, 1), **BYTES)),
    *both("no rows", pair((0, 8))),
    *both("no columns", pair((5, 0), dtype="float64")),
    *both("large values", pair((20, 50), special="large")),
    *both("not-a-number goes through", pair((20, 50), special="nan")),
    *both("on a side stream", pair((40, 60), "transposed"), stream="side"),
    *both("the second row of a is beyond offset 2^31", pair((2, 500), "far", **BYTES)),
    *both("the last row of b is beyond offset 2^31", pair((3, 77), b="far", **BYTES)),
]


def refused(a: Any, b: Any) -> list[Any]:
    return [a, b, POINTERS]


REFUSALS = [
    Refusal("a is a vector", refused(tensor(4), tensor(4)), mentions=["a", "dimension"]),
    Refusal(
        "b has three dimensions", refused(tensor((2, 3)), tensor((2, 3, 1))), mentions=["b", "dimension"]
    ),
    Refusal("b is a row", refused(tensor((4, 6)), tensor((1, 6))), mentions=["b", "shape"]),
    Refusal("a is int32", refused(*pair((2, 3), dtype="int32")), mentions=["a", "float"]),
    Refusal("b is float64", refused(tensor((2, 3)), tensor((2, 3), "float64")), mentions=["b", "a"]),
    Refusal("b on the CPU", refused(tensor((2, 3)), tensor((2, 3), device="cpu")), mentions=["b", "cuda:0"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", [*pair((7, 5), dtype="float64"), POINTERS]),
        Case("float64, a transposed", [*pair((4, 6), "transposed", dtype="float64"), ACCESSORS]),
        Case("float32, every second column of b", [*pair((9, 40), b="sliced"), POINTERS]),
        Case("more elements than threads", [*pair((513, 601)), POINTERS]),
        Case("no rows", [*pair((0, 4), dtype="float64"), POINTERS]),
        Case("on a side stream", [*pair((9, 10)), ACCESSORS], stream="side"),
    ],
    unrequested=True,
    by_kernel=True,
)


def traffic(a: torch.Tensor, b: torch.Tensor, by: str) -> int:
    """Read a and b, write one result; a copy of a strided operand would read and write it once more."""
    return 3 * a.numel() * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor, by: str) -> int:
    return a.numel()


NO_COPY = "Follow the strides of an operand instead of copying it."
ONE_RESULT = [Limit("allocations", 1, rule=NO_COPY), Limit("launches", 1)]
EFFICIENCY = [
    Efficiency(
        Case("every second column of a, b expanded", [*pair((128, 64), "sliced", "expanded"), POINTERS]),
        [
            *ONE_RESULT,
            # One for each of two gradients; grad_out has strides of 0.
            Limit("allocations", 2, stage="backward", share=2, rule=NO_COPY),
        ],
        cotangent="expanded",
    ),
    Efficiency(
        Case("a transposed, every second column of b", [*pair((128, 64), "transposed", "sliced"), ACCESSORS]),
        ONE_RESULT,
    ),
]

PROFILE = Case("a transposed, 256 x 256", [*pair((256, 256), "transposed"), POINTERS])
