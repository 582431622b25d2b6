"""pool: scale * (x * weight).sum(1), x (batch, tokens, channels), weight (tokens, channels), with gradients.

Half precision is judged as strictly as PyTorch's own kernels could be: computed in float32, rounded once.
"""

from typing import Any

import torch

from grader.specification import Argument, Case, Gradient, Refusal, Speed, drawn, tensor

ENTRY = "pool"

# A result of 16 bits may be off by the error of one rounding: docs/reference/tolerances.md says why.
ROUNDED_ONCE = True


def reference(x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
    return scale * (x * weight).sum(1)


def inputs(
    shape: tuple[int, int, int],
    dtype: str = "float32",
    scale: float | None = None,
    x: tuple[float, float] = (-1, 1),
    weight: tuple[float, float] = (-1, 1),
    weight_dtype: str = "",
    **more: Any,
) -> list[Argument]:
    """x, weight and scale; the ranges of x and weight, and without a scale the one of a mean."""
    (low, high), (least, most) = x, weight
    return [
        tensor(shape, dtype, low=low, high=high, **more),
        tensor(shape[1:], weight_dtype or dtype, low=least, high=most),
        scale if scale is not None else 1 / max(1, shape[1]),
    ]


POSITIVE = {"x": (0.0, 1.0), "weight": (0.0, 1.0)}

CASES = [
    Case("float32, one block", inputs((4, 6, 64)), launch_errors=True),
    Case("float64", inputs((2, 11, 13), "float64")),
    Case("a mean over 600 tokens, float16", inputs((2, 600, 33), "float16", **POSITIVE)),
    Case("a mean over 600 tokens, bfloat16", inputs((2, 600, 33), "bfloat16", **POSITIVE)),
    Case("a mean over 600 tokens, float32", inputs((2, 600, 33), **POSITIVE)),
    Case("float16", inputs((3, 9, 37), "float16")),
    Case("bfloat16", inputs((3, 9, 37), "bfloat16")),
    Case("one token, float16", inputs((7, 1, 61), "float16", 0.3)),
    Case("one token, bfloat16", inputs((7, 1, 61), "bfloat16", 0.3)),
    Case("one element, float16", inputs((1, 1, 1), "float16", 3.0, x=(0.5, 1), weight=(0.5, 1))),
    Case("600 tokens of either sign, float16", inputs((2, 600, 33), "float16", 1.0)),
    Case("sums beyond 65504, float16", inputs((2, 600, 21), "float16", x=(100, 200), weight=(1, 2))),
    Case("products beyond 65504, float16", inputs((2, 50, 21), "float16", x=(100, 1000), weight=(10, 100))),
    Case(
        "products below 2^-25, float16",
        inputs((2, 200, 21), "float16", 1e4, x=(1e-4, 2e-4), weight=(7e-5, 1e-4)),
    ),
    Case(
        "beyond float16's range, bfloat16",
        inputs((2, 90, 21), "bfloat16", 1.0, x=(1e3, 1e4), weight=(1e2, 1e3)),
    ),
    Case("x transposed, float16", inputs((5, 12, 12), "float16", layout="transposed")),
    Case("every second channel of x, bfloat16", inputs((5, 12, 10), "bfloat16", layout="sliced")),
    Case("x expanded over the batch", inputs((5, 12, 10), layout="expanded")),
    Case("no tokens, float16", inputs((3, 0, 8), "float16")),
    Case("no rows", inputs((0, 4, 8))),
    Case("no channels, bfloat16", inputs((3, 4, 0), "bfloat16")),
    Case(
        "zero times not-a-number is not-a-number, float16",
        inputs((4, 9, 20), "float16", special="nan", weight=(0, 0)),
    ),
    Case("infinity goes through, bfloat16", inputs((4, 9, 20), "bfloat16", special="inf", weight=(0.5, 1))),
    Case("on a side stream, float16", inputs((4, 30, 40), "float16"), stream="side"),
    Case("autocast to float16", inputs((3, 40, 17)), autocast="float16"),
    Case("autocast to bfloat16", inputs((3, 40, 17)), autocast="bfloat16"),
    Case(
        "autocast: x of the region's dtype, weight a float32 parameter",
        inputs((3, 40, 17), "float16", weight_dtype="float32"), autocast="float16",
    ),
    Case("autocast leaves float64 alone", inputs((3, 40, 17), "float64"), autocast="float16"),
    # More results than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case("sizes of this verdict, float16", sizes=drawn(
        lambda batch, tokens, channels: inputs((batch, tokens, channels), "float16"),
        batch=(1, 3000), tokens=(1, 5), channels=(1, 9000),
        where=lambda batch, tokens, channels: (
            batch * channels > 1 << 16 and batch * tokens * channels < 150_000
        ),
    )),
]  # fmt: skip

REFUSALS = [
    Refusal("x is a matrix", [tensor((4, 6)), tensor((4, 6)), 1.0], mentions=["x", "dimension"]),
    Refusal("weight per channel only", [tensor((4, 5, 6)), tensor(6), 1.0], mentions=["weight", "shape"]),
    Refusal("weight for more tokens", [tensor((4, 5, 6)), tensor((6, 6)), 1.0], mentions=["weight", "shape"]),
    Refusal(
        "float16 x, float32 weight, no autocast",
        inputs((4, 5, 6), "float16", weight_dtype="float32"), mentions=["weight", "Half"],
    ),
    Refusal("x on the CPU", [tensor((4, 5, 6), device="cpu"), tensor((5, 6)), 1.0], mentions=["x", "CUDA"]),
    Refusal("weight on the CPU", [tensor((4, 5, 6)), tensor((5, 6), device="cpu"), 1.0], mentions=["weight"]),
]  # fmt: skip

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs((3, 4, 5), "float64", 0.5), launch_errors=True),
        Case("float64, transposed", inputs((2, 4, 4), "float64", 0.5, layout="transposed")),
        Case("sizes of this verdict, float32", sizes=drawn(
            lambda batch, tokens, channels: inputs((batch, tokens, channels)),
            batch=(1, 5), tokens=(1, 60), channels=(5, 2000),
            where=lambda batch, tokens, channels: (
                tokens * channels > 1024 and batch * tokens * channels < 5000
            ),
        )),
        Case("500 rows, float16", inputs((500, 2, 9), "float16", 0.01, **POSITIVE)),
        Case("500 rows, bfloat16", inputs((500, 2, 9), "bfloat16", 0.01, **POSITIVE)),
        Case("float16", inputs((6, 5, 31), "float16")),
        Case("bfloat16", inputs((6, 5, 31), "bfloat16")),
        Case("products beyond 65504, float16", inputs((40, 3, 7), "float16", 0.01, x=(3e4, 6e4))),
        Case("no rows, float16", inputs((0, 3, 4), "float16")),
        Case("autocast to float16", inputs((6, 5, 31)), autocast="float16"),
        Case(
            "autocast to bfloat16: float32 weight",
            inputs((6, 5, 31), "bfloat16", weight_dtype="float32"), autocast="bfloat16",
        ),
        Case("on a side stream, float16", inputs((6, 5, 31), "float16"), stream="side"),
    ],
    unrequested=True,
)  # fmt: skip


def accumulation(x: torch.Tensor, weight: torch.Tensor, scale: float) -> int:
    """out adds up one number for every token, grad_weight one for every row."""
    return max(1, x.shape[0], x.shape[1])


def traffic(x: torch.Tensor, weight: torch.Tensor, scale: float) -> int:
    """Read x and weight once, write out."""
    return (x.numel() + weight.numel() + x.shape[0] * x.shape[2]) * x.element_size()


def flops(x: torch.Tensor, weight: torch.Tensor, scale: float) -> int:
    return 2 * x.numel()


SPEED = Speed(
    [tensor((256, 256, 1024), "float16"), tensor((256, 1024), "float16"), 1 / 256],
    baseline="scale * (x * weight).sum(1)",
)

PROFILE = Case("8 rows of 64 tokens, 256 channels, float16", inputs((8, 64, 256), "float16"))
