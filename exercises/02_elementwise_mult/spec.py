"""multiply: a * b for float32 tensors of one shape, with gradients."""

import torch

from grader.specification import Case, Gradient, Refusal, Speed, drawn, tensor

ENTRY = "multiply"


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


CASES = [
    Case("one full block", [tensor(256), tensor(256)], launch_errors=True),
    Case("one element", [tensor(1), tensor(1)]),
    Case("a partial last block", [tensor(700), tensor(700)]),
    Case("three dimensions", [tensor((5, 7, 11)), tensor((5, 7, 11))]),
    Case("views into larger storage", [tensor((9, 31), layout="offset"), tensor((9, 31), layout="offset")]),
    Case("no elements", [tensor((4, 0)), tensor((4, 0))]),
    Case("large values", [tensor(500, special="large"), tensor(500, special="large")]),
    Case("not-a-number goes through", [tensor(300, special="nan"), tensor(300)]),
    Case(
        "zero times not-a-number is not-a-number", [tensor(300, special="nan"), tensor(300, special="zeros")]
    ),
    Case("zero times infinity is not-a-number", [tensor(300, special="zeros"), tensor(300, special="inf")]),
    Case("on a side stream", [tensor(1000), tensor(1000)], stream="side"),
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda rows, columns: [tensor((rows, columns)), tensor((rows, columns))],
            rows=(1, 70_000),
            columns=(1, 70_000),
            where=lambda rows, columns: 1 << 16 < rows * columns < 100_000,
        ),
    ),
]

REFUSALS = [
    Refusal("a on the CPU", [tensor(4, device="cpu"), tensor(4)], mentions=["a", "CUDA"]),
    Refusal("b on the CPU", [tensor(4), tensor(4, device="cpu")], mentions=["b", "CUDA"]),
    Refusal("b on the other device", [tensor(4), tensor(4, device="cuda:1")], mentions=["b", "device"]),
    Refusal("a is float64", [tensor(4, "float64"), tensor(4)], mentions=["a", "float32"]),
    Refusal("b is float64", [tensor(4), tensor(4, "float64")], mentions=["b", "float32"]),
    Refusal(
        "a is every second element",
        [tensor(8, layout="sliced"), tensor(8)],
        mentions=["a", "contiguous"],
    ),
    Refusal(
        "b is transposed", [tensor((3, 4)), tensor((3, 4), layout="transposed")], mentions=["b", "contiguous"]
    ),
    Refusal("different shapes", [tensor((3, 4)), tensor((4, 3))], mentions=["b", "shape"]),
]

# The kernel has float32 only, and torch.autograd.gradcheck needs float64: the gradients are compared with
# those of the float64 reference instead.
GRADIENT = Gradient(
    cases=[
        Case("a vector", [tensor(300), tensor(300)]),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda rows, columns: [tensor((rows, columns)), tensor((rows, columns))],
                rows=(1, 4000),
                columns=(1, 4000),
                where=lambda rows, columns: 1024 < rows * columns < 4000,
            ),
        ),
        Case("no elements", [tensor(0), tensor(0)]),
        Case("on a side stream", [tensor(70), tensor(70)], stream="side"),
    ],
    mode="cotangent",
    unrequested=True,
)


def traffic(a: torch.Tensor, b: torch.Tensor) -> int:
    """Read a and b, write out."""
    return 3 * a.numel() * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor) -> int:
    return a.numel()


# One element per thread: 0.8 of PyTorch's own kernel, which loads four at a time, on an H200.
SPEED = Speed(
    [tensor(1 << 24), tensor(1 << 24)], baseline="a * b", steps=((0.25, 0.25), (0.5, 0.5), (0.7, 1.0))
)

PROFILE = Case("65,536 elements", [tensor(1 << 16), tensor(1 << 16)])
