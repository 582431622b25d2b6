"""vector_add: a + b for float32 NumPy vectors, added on the device, without PyTorch."""

from typing import Any

import torch

from grader.specification import Case, Refusal, TensorSpec, drawn, tensor

ENTRY = "vector_add"


def reference(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    result = a + b
    return result if out is None else out.copy_(result)


def array(shape: int | tuple[int, ...], dtype: str = "float32", **more: Any) -> TensorSpec:
    return tensor(shape, dtype, kind="numpy", **more)


CASES = [
    Case("one full block", [array(256), array(256)], launch_errors=True),
    Case("one element", [array(1), array(1)]),
    Case("one thread short of a block", [array(255), array(255)]),
    Case("one element more than a block", [array(257), array(257)]),
    Case("no elements", [array(0), array(0)]),
    Case("every second element of a", [array(100, layout="sliced"), array(100)]),
    Case("every second element of b", [array(100), array(100, layout="sliced")]),
    Case("large values", [array(500, special="large"), array(500, special="large")]),
    Case("infinities", [array(300, special="inf"), array(300)]),
    Case("into an array of the caller", [array(300), array(300), array(300)], modifies=("out",)),
    # Up to about a million elements: more than any small grid covers without a loop.
    Case("sizes of this verdict", sizes=drawn(lambda n: [array(n), array(n)], n=(300_000, 1_200_000))),
]

REFUSED = (TypeError, ValueError)
REFUSALS = [
    Refusal("a is float64", [array(9, "float64"), array(9)], mentions=["a", "float32"], exception=REFUSED),
    Refusal("b is float64", [array(9), array(9, "float64")], mentions=["b", "float32"], exception=REFUSED),
    Refusal("a is int32", [array(9, "int32"), array(9)], mentions=["a", "float32"], exception=REFUSED),
    Refusal("a is a matrix", [array((3, 3)), array(9)], mentions=["a", "dimension"], exception=REFUSED),
    # As many elements as the other one, so that only the number of dimensions is wrong.
    Refusal("a is a single number", [array(()), array(1)], mentions=["a", "dimension"], exception=REFUSED),
    Refusal("b is a matrix", [array(9), array((3, 3))], mentions=["b", "dimension"], exception=REFUSED),
    Refusal(
        "out is a matrix", [array(9), array(9), array((3, 3))], mentions=["out", "dimension"],
        exception=REFUSED,
    ),
    Refusal("b is shorter", [array(9), array(8)], mentions=["b", "element"], exception=REFUSED),
    Refusal("b is longer", [array(300), array(301)], mentions=["b", "element"], exception=REFUSED),
    Refusal(
        "out is float64, and a silent copy of it would be filled instead",
        [array(9), array(9), array(9, "float64")],
        mentions=["out", "float32"],
        exception=REFUSED,
    ),
    Refusal("out is longer", [array(9), array(9), array(10)], mentions=["out", "element"], exception=REFUSED),
    Refusal(
        "out is every second element of something",
        [array(9), array(9), array(9, layout="sliced")],
        mentions=["out", "contiguous"],
        exception=REFUSED,
    ),
]


def traffic(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> int:
    """Device memory only: read a and b, write out. The copies cross the bus as often again."""
    return 3 * a.numel() * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> int:
    return a.numel()


PROFILE = Case("65,536 elements", [array(1 << 16), array(1 << 16)])
