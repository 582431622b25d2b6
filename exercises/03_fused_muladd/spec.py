"""muladd: a * b + c for float32 or float64 tensors of one shape, with gradients."""

import torch

from grader.specification import Case, Gradient, Refusal, Speed, TensorSpec, drawn, tensor

ENTRY = "muladd"


def reference(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a * b + c


def three(shape: int | tuple[int, ...], dtype: str = "float32") -> list[TensorSpec]:
    return [tensor(shape, dtype) for _ in range(3)]


CASES = [
    Case("one full block", three(256), launch_errors=True),
    Case("one element", three(1)),
    Case("a partial last block", three(1000)),
    Case("a matrix of odd shape", three((7, 5))),
    Case("float64", three((17, 31), "float64")),
    Case("no elements", three(0)),
    Case("no elements, float64", three((3, 0), "float64")),
    Case("large values", [tensor(400, special="large"), tensor(400, special="large"), tensor(400)]),
    Case("not-a-number in c", [tensor(300), tensor(300), tensor(300, special="nan")]),
    Case(
        "zero times not-a-number is not-a-number",
        [tensor(300, special="nan"), tensor(300, special="zeros"), tensor(300)],
    ),
    Case(
        "zero times infinity is not-a-number",
        [tensor(300, special="zeros"), tensor(300, special="inf"), tensor(300)],
    ),
    Case("views into larger storage", [tensor(99, layout="offset"), tensor(99), tensor(99, layout="offset")]),
    Case("on a side stream", three(1000), stream="side"),
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda rows, columns: three((rows, columns)),
            rows=(1, 70_000),
            columns=(1, 70_000),
            where=lambda rows, columns: 1 << 16 < rows * columns < 100_000,
        ),
    ),
]

REFUSALS = [
    Refusal("a is an integer", [tensor(4, "int32"), tensor(4), tensor(4)], mentions=["a", "float"]),
    Refusal("b is float64", [tensor(4), tensor(4, "float64"), tensor(4)], mentions=["b", "a"]),
    Refusal("c is float64", [tensor(4), tensor(4), tensor(4, "float64")], mentions=["c", "a"]),
    # As many elements as a, so that a comparison of their numbers does not refuse it.
    Refusal("b has another shape", [tensor((2, 3)), tensor((3, 2)), tensor((2, 3))], mentions=["b", "shape"]),
    Refusal("c is a row", [tensor((2, 3)), tensor((2, 3)), tensor(3)], mentions=["c", "shape"]),
    Refusal(
        "a is every second element",
        [tensor(4, layout="sliced"), tensor(4), tensor(4)],
        mentions=["a", "contiguous"],
    ),
    Refusal(
        "c is transposed",
        [tensor((3, 4)), tensor((3, 4)), tensor((3, 4), layout="transposed")],
        mentions=["c", "contiguous"],
    ),
    Refusal("a on the CPU", [tensor(4, device="cpu"), tensor(4), tensor(4)], mentions=["a", "CUDA"]),
    Refusal("b on the CPU", [tensor(4), tensor(4, device="cpu"), tensor(4)], mentions=["b", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", three((7, 5), "float64"), launch_errors=True),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda rows, columns: three((rows, columns)),
                rows=(1, 4000),
                columns=(1, 4000),
                where=lambda rows, columns: 1024 < rows * columns < 4000,
            ),
        ),
        Case("no elements", three(0, "float64")),
        Case("on a side stream", three(70), stream="side"),
    ],
    unrequested=True,
)


def traffic(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> int:
    """Read a, b and c, write out; two separate kernels would move the product twice more."""
    return 4 * a.numel() * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> int:
    return 2 * a.numel()


SPEED = Speed([tensor(1 << 24), tensor(1 << 24), tensor(1 << 24)], baseline="a * b + c")

PROFILE = Case("65,536 elements", three(1 << 16))
