"""layer_norm in Triton: rows of x of (..., columns) to mean 0 and variance 1, then weight and bias."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from grader.specification import (
    Argument,
    Case,
    Dispatcher,
    Efficiency,
    Gradient,
    Limit,
    Operator,
    Refusal,
    Speed,
    drawn,
    tensor,
)

ENTRY = "layer_norm"
EPS = 1e-5
SECTOR = 32  # bytes: the least that global memory reads or writes

Tensor = torch.Tensor


Change = Callable[["Row"], Tensor]


def reference(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


# ---- what a kernel with one mistake computes -------------------------------------------------------------


def tile_of(x: Tensor) -> int:
    """The columns of a tile: the next power of two."""
    return 1 << max(0, x.shape[-1] - 1).bit_length()


def normalised_by(
    x: Tensor, weight: Tensor, bias: Tensor, eps: float, mean_of: int, variance_of: int, strays: int = 0
) -> Tensor:
    """With sums divided by these numbers; `strays` elements of 0 count as distances from the mean, too."""
    center = x.sum(-1, keepdim=True) / mean_of
    distance = x - center
    squares = distance.square().sum(-1, keepdim=True) + strays * center.square()
    return distance / torch.sqrt(squares / variance_of + eps) * weight + bias


def with_strays(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    columns = x.shape[-1]
    return normalised_by(x, weight, bias, eps, columns, columns, tile_of(x) - columns)


def over_the_tile(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return normalised_by(x, weight, bias, eps, tile_of(x), tile_of(x))


def mean_over_the_tile(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return normalised_by(x, weight, bias, eps, tile_of(x), x.shape[-1])


def variance_over_the_tile(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return normalised_by(x, weight, bias, eps, x.shape[-1], tile_of(x))


def without_root(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    center = x.mean(-1, keepdim=True)
    variance = (x - center).square().mean(-1, keepdim=True)
    return (x - center) / (variance + eps) * weight + bias


def eps_outside(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    center = x.mean(-1, keepdim=True)
    variance = (x - center).square().mean(-1, keepdim=True)
    return (x - center) / (torch.sqrt(variance) + eps) * weight + bias


def without_shift(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return reference(x, weight, torch.zeros_like(bias), eps)


def without_scale(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) * weight + bias


def with_default_eps(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
    return reference(x, weight, bias)


@dataclass(frozen=True)
class Row:
    """What backward has of each row."""

    grad: Tensor
    weight: Tensor
    distance: Tensor
    scale: Tensor  # 1 / sqrt(variance + eps)

    @property
    def normalised(self) -> Tensor:
        return self.distance * self.scale

    def of_x(self, g: Tensor, second: Tensor | float) -> Tensor:
        """From g and the mean of its product with the normalised values."""
        return (g - g.mean(-1, keepdim=True) - self.normalised * second) * self.scale

    def mean_with(self, other: Tensor) -> Tensor:
        return (self.grad * self.weight * other).mean(-1, keepdim=True)


class WithOtherGradient(torch.autograd.Function):
    """The right result, and `of_x(row)` for the gradient of x; the other gradients are right, too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float, of_x: Change) -> Tensor:
        for_backward = x, weight
        ctx.save_for_backward(*for_backward)
        ctx.eps, ctx.of_x = eps, of_x
        return reference(x, weight, bias, eps)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        distance = rows - rows.mean(-1, keepdim=True)
        scale = torch.rsqrt(distance.square().mean(-1, keepdim=True) + ctx.eps)
        row, columns = Row(grad, weight, distance, scale), rows.shape[-1]
        of_weight = (grad * row.normalised).reshape(-1, columns).sum(0)
        return ctx.of_x(row), of_weight, grad.reshape(-1, columns).sum(0), None, None


def with_other_gradient(of_x: Change) -> Callable[..., Tensor]:
    def formula(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> Tensor:
        return WithOtherGradient.apply(x, weight, bias, eps, of_x)

    return formula


CHANGED = {
    "the mean of g times the distances; it belongs times the normalised values": with_other_gradient(
        lambda row: row.of_x(row.grad * row.weight, row.mean_with(row.distance))
    ),
    "the term with the mean of g times the normalised values left out": with_other_gradient(
        lambda row: row.of_x(row.grad * row.weight, 0)
    ),
    "grad_out for g, which is grad_out times weight": with_other_gradient(
        lambda row: row.of_x(row.grad, (row.grad * row.normalised).mean(-1, keepdim=True))
    ),
    "the right gradient, not multiplied by 1 / sqrt(variance + eps)": with_other_gradient(
        lambda row: row.of_x(row.grad * row.weight, row.mean_with(row.normalised)) / row.scale
    ),
}

CONFUSED = {
    "rows normalised with an eps of 1e-5, whatever eps the call has; setup_context keeps that of the call "
    "for backward": with_default_eps,
    "the elements of a tile that do not exist counted as distances from the mean; they are 0 after a load, "
    "and not after a subtraction": with_strays,
    "sums divided by BLOCK, the columns of the tile, not of the row": over_the_tile,
    "a mean over BLOCK columns, those of the tile, not of the row": mean_over_the_tile,
    "a variance over BLOCK columns, those of the tile, not of the row": variance_over_the_tile,
    "x divided by the variance, not by its root": without_root,
    "eps added to the root, not below it": eps_outside,
    "distances from the mean that are not divided by the root of the variance": without_scale,
    "the right result without bias": without_shift,
    **CHANGED,
}


# ---- cases -----------------------------------------------------------------------------------------------


def inputs(
    shape: int | tuple[int, ...], dtype: str = "float32", mean: float = 0, spread: float = 1,
    eps: float = EPS, **more: Any,
) -> list[Argument]:  # fmt: skip
    """x within `spread` of `mean`, weight away from 0, bias, eps."""
    columns = shape if isinstance(shape, int) else shape[-1]
    x = tensor(shape, dtype, low=mean - spread, high=mean + spread, **more)
    return [x, tensor(columns, dtype, low=0.5, high=2), tensor(columns, dtype), eps]


def plain(shape: tuple[int, ...], **more: Any) -> list[Argument]:
    """The same with a weight of ones and a bias of zeros: the normalised rows themselves."""
    x, _, _, eps = inputs(shape, **more)
    return [x, tensor(shape[-1], special="ones"), tensor(shape[-1], special="zeros"), eps]


# A row of few random values may have almost no spread, which magnifies rounding errors: not with this eps.
WIDE = 0.1

CASES = [
    Case("64 columns, which fill the tile", plain((4, 64))),
    Case("one row", plain((1, 32))),
    Case("5 rows of 40: tiles with rows and columns that do not exist", plain((5, 40), mean=1)),
    Case("weight and bias", inputs((4, 40))),
    Case("a mean of 3, where elements that do not exist are far from it", inputs((3, 33), mean=3)),
    Case("7 columns", inputs((6, 7), eps=WIDE)),
    Case("one column", inputs((5, 1))),
    Case("one element", inputs((1, 1))),
    Case("1,100 columns", inputs((3, 1100))),
    Case("one row, no leading dimension", inputs(64)),
    Case("three leading dimensions", inputs((2, 1, 3, 20))),
    Case("float64", inputs((3, 301), "float64")),
    Case("float64, a large eps", inputs((4, 48), "float64", eps=WIDE)),
    Case("float16", inputs((5, 100), "float16")),
    Case("float16, values whose squares overflow", inputs((3, 100), "float16", spread=500)),
    Case("bfloat16", inputs((5, 100), "bfloat16")),
    Case("constant rows", [tensor((3, 50), low=0.5, high=0.5), tensor(50), tensor(50), EPS]),
    Case("a spread of 0.001, where eps counts", plain((4, 96), spread=1e-3)),
    Case("a mean of 1,000, a spread of 1", plain((3, 20), mean=1e3)),
    Case("large values", [tensor((6, 80), special="large"), tensor(80), tensor(80), EPS]),
    Case("not-a-number fills its row", inputs((6, 40), special="nan")),
    Case("x transposed", inputs((6, 30), layout="transposed")),
    Case("every second column of x", inputs((5, 20), layout="sliced")),
    Case("x expanded over the rows", inputs((5, 25), layout="expanded")),
    Case("every second value of weight", [tensor((6, 33)), tensor(33, layout="sliced"), tensor(33), EPS]),
    Case("every second value of bias", [tensor((6, 33)), tensor(33), tensor(33, layout="sliced"), EPS]),
    Case("the last row is beyond offset 2^31", inputs((3, 60), "float16", layout="far")),
    Case("no rows", inputs((0, 8))),
    Case("no columns", inputs((5, 0))),
    Case("on a side stream", inputs((10, 60)), stream="side"),
    Case("sizes of this verdict", sizes=drawn(
        lambda rows, columns: inputs((rows, columns)), rows=(11, 30), columns=(33, 1700),
        where=lambda rows, columns: 1 << 12 < rows * columns < 20_000,
    )),
]  # fmt: skip

REFUSALS = [
    Refusal("weight is longer than a row", [tensor((4, 6)), tensor(7), tensor(6), EPS], ["weight", "shape"]),
    Refusal("bias has a value for each row", [tensor((4, 6)), tensor(6), tensor(4), EPS], ["bias", "shape"]),
    Refusal("x has no dimension", [tensor(()), tensor(1), tensor(1), EPS], ["x", "dimension"]),
    Refusal("bias is float64", [tensor((4, 6)), tensor(6), tensor(6, "float64"), EPS], ["bias", "float64"]),
    Refusal("x on the CPU", [tensor((4, 6), device="cpu"), tensor(6), tensor(6), EPS], ["x", "cuda"]),
    Refusal(
        "weight on the CPU", [tensor((4, 6)), tensor(6, device="cpu"), tensor(6), EPS], ["weight", "cpu"]
    ),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs((2, 6), "float64", eps=WIDE)),
        Case("float64, three dimensions, transposed",
             inputs((2, 2, 3), "float64", eps=WIDE, layout="transposed")),
        Case("float64, every second column of x", inputs((5, 7), "float64", eps=WIDE, layout="sliced")),
        Case("float32, 5 rows of 100", inputs((5, 100))),
        Case("float32, 140 rows: some programs have several tiles", inputs((140, 33))),
        Case("float16", inputs((6, 40), "float16")),
        Case("every second value of weight",
             [tensor((6, 33)), tensor(33, layout="sliced"), tensor(33), EPS]),
        Case("sizes of this verdict", sizes=drawn(
            lambda rows, columns: inputs((rows, columns)), rows=(2, 12), columns=(33, 300),
            where=lambda rows, columns: 256 < rows * columns < 2000,
        )),
        Case("no rows", inputs((0, 8), "float64")),
        Case("on a side stream", inputs((4, 40)), stream="side"),
    ],
)  # fmt: skip


def accumulation(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> int:
    """Forward adds up a row; the gradients of weight and bias add up a column."""
    columns = max(1, weight.numel())
    return max(1, columns, x.numel() // columns)


def traffic(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> int:
    """Read x, weight and bias, write out."""
    return (2 * x.numel() + 2 * weight.numel()) * x.element_size()


def flops(x: Tensor, weight: Tensor, bias: Tensor, eps: float = EPS) -> int:
    """Two for the mean, three for the squared distances, four for the result."""
    return 9 * x.numel()


def of_x(x: Tensor, *others: object) -> int:
    """The sectors of x, and of every tensor of its shape."""
    return x.numel() * x.element_size() // SECTOR


def in_all(x: Tensor, *others: object) -> float:
    """What forward reads: x, and weight and bias for each tile of rows; half of x more is left over."""
    return 3.5 * of_x(x)


def written(x: Tensor, *others: object) -> float:
    """A matrix of x's shape; two numbers for each row, a sector each, may be written beside it."""
    return 1.25 * of_x(x)


def read_backward(x: Tensor, *others: object) -> float:
    """A row of x and of grad_out; weight for each program, and what forward saved: less than one more."""
    return 2.75 * of_x(x)


def sums(x: Tensor, *others: object) -> int:
    """The atomic sectors of two sums of each of at most 32 programs."""
    return 2 * 32 * (x.shape[-1] * x.element_size() // SECTOR)


KEEP = "Keep the tile: what one tl.load brought need not be loaded again."
ONCE = "Write every element of the result once."
NO_COPY = "A copy of a tensor in other memory is read, too: read the tensor itself, by its strides."
FEW = "Add up in a tile over all rows of a program, and add that to memory once, after the loop."

EFFICIENCY = [
    Efficiency(
        Case("64 rows of 256", inputs((64, 256))),
        [
            Limit("global_load_sectors", of_x, share=3, rule=KEEP, of="x"),
            Limit("global_store_sectors", of_x, rule=ONCE, of="the output"),
            Limit("global_load_sectors", in_all, rule=NO_COPY),
            Limit("global_store_sectors", written, rule=NO_COPY),
            Limit("global_load_sectors", of_x, "backward", 2, KEEP, of="x"),
            Limit("global_load_sectors", of_x, "backward", 2, KEEP, of="grad_out"),
            Limit("global_load_sectors", read_backward, "backward", rule=NO_COPY),
            Limit("global_store_sectors", of_x, "backward", rule=ONCE, of="grad_x"),
            Limit("global_store_sectors", written, "backward", rule=NO_COPY),
            Limit("global_atomic_sectors", sums, "backward", 2, FEW),
        ],
    ),
    Efficiency(
        Case("64 rows of 64, transposed", inputs((64, 64), layout="transposed")),
        [Limit("peak_bytes", 64 * 64 * 4 + 2048, rule=NO_COPY)],
    ),
]

SPEED = Speed(
    [tensor((16384, 4096)), tensor(4096), tensor(4096), EPS],
    baseline="torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)",
)

DISPATCHER = Dispatcher(
    operators=[
        Operator(
            "layer_norm_triton::layer_norm",
            [
                Case("4 rows of 6", inputs((4, 6), eps=WIDE)),
                Case("float64", inputs((3, 5), "float64", eps=WIDE)),
                Case("float16", inputs((2, 3, 8), "float16", eps=WIDE)),
                Case("transposed", inputs((5, 7), eps=WIDE, layout="transposed")),
            ],
        ),
    ],
    # BLOCK is a constant of the kernel, so that a graph is made for each number of columns.
    # Without eps, which dynamic=True would make symbolic: Inductor of torch 2.11 failed on that, on an H200.
    compiled=[Case("9 rows of 20", inputs((9, 20))[:3]), Case("4 rows of 20", inputs((4, 20))[:3])],
)

PROFILE = Case("32 rows of 256", inputs((32, 256)))
