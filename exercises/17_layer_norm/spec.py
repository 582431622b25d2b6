"""layer_norm: rows of x of (..., columns) to mean 0 and variance 1, then weight and bias; with gradients."""

from typing import Any

import torch

from grader.specification import Argument, Case, Efficiency, Gradient, Limit, Refusal, Speed, drawn, tensor

ENTRY = "layer_norm"
EPS = 1e-5
SECTOR = 32  # bytes: the least that global memory reads or writes


def reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


def bias_first(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    return (torch.nn.functional.layer_norm(x, weight.shape, eps=eps) + bias) * weight


CONFUSED = {"bias added before weight multiplies": bias_first}


def inputs(
    shape: int | tuple[int, ...],
    dtype: str = "float32",
    mean: float = 0,
    spread: float = 1,
    eps: float = EPS,
    **more: Any,
) -> list[Argument]:
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
    Case("512 columns: 16 values for each lane", plain((3, 512))),
    Case("32 columns: 4 values for each of 8 lanes, none for the others", plain((4, 32)), launch_errors=True),
    Case("a spread of 0.001, where eps counts", plain((4, 96), spread=1e-3)),
    Case("weight and bias", inputs((4, 40))),
    Case("one row, no leading dimension", inputs(64)),
    Case("three leading dimensions", inputs((2, 3, 5, 20))),
    Case("513 columns, one more than two warps hold", plain((3, 513))),
    Case("1,000 columns, several warps", inputs((5, 1000))),
    Case("8,195 columns, more than a block holds", inputs((2, 8195))),
    Case("4,099 columns of float64, more than a block holds", inputs((2, 4099), "float64")),
    Case("7 columns, fewer than lanes", inputs((9, 7), eps=WIDE)),
    Case("two columns", inputs((30, 2), eps=WIDE)),
    Case("one column", inputs((5, 1))),
    Case("one element", inputs((1, 1))),
    Case("float64", inputs((3, 301), "float64")),
    Case("constant rows", [tensor((3, 50), low=0.5, high=0.5), tensor(50), tensor(50), EPS]),
    Case("rows of zeros", [tensor((3, 40), special="zeros"), tensor(40), tensor(40), EPS]),
    Case("a mean of 1,000, a spread of 1", plain((3, 20), mean=1e3)),
    Case("a mean of -10,000, a spread of 1", inputs((1, 60), mean=-1e4)),
    Case("large values", [tensor((6, 80), special="large"), tensor(80), tensor(80), EPS]),
    Case("not-a-number fills its row", inputs((12, 40), special="nan")),
    Case("a large eps", inputs((4, 48), eps=0.5)),
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
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case("sizes of this verdict", sizes=drawn(
        lambda rows, columns: inputs((rows, columns)), rows=(5, 2000), columns=(33, 9000),
        where=lambda rows, columns: 1 << 16 < rows * columns < 90_000,
    )),
]  # fmt: skip

REFUSALS = [
    Refusal("weight is longer than a row", [tensor((4, 6)), tensor(7), tensor(6), EPS], ["weight", "shape"]),
    Refusal("bias has a value for each row", [tensor((4, 6)), tensor(6), tensor(4), EPS], ["bias", "shape"]),
    Refusal("weight is a matrix", [tensor((4, 6)), tensor((4, 6)), tensor(6), EPS], ["weight", "shape"]),
    Refusal("x has no dimension", [tensor(()), tensor(1), tensor(1), EPS], ["x", "dimension"]),
    Refusal("bias is float64", [tensor((4, 6)), tensor(6), tensor(6, "float64"), EPS], ["bias", "double"]),
    Refusal("x on the CPU", [tensor((4, 6), device="cpu"), tensor(6), tensor(6), EPS], ["x", "CUDA"]),
    Refusal(
        "weight on the CPU", [tensor((4, 6)), tensor(6, device="cpu"), tensor(6), EPS], ["weight", "cpu"]
    ),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs((3, 12), "float64"), launch_errors=True),
        Case("float64, three dimensions", inputs((2, 2, 4), "float64", eps=WIDE)),
        Case("float64, a small spread", inputs((3, 5), "float64", spread=0.01)),
        Case("float64, transposed", inputs((3, 5), "float64", eps=WIDE, layout="transposed")),
        Case("float32, several warps", inputs((13, 1000))),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda rows, columns: inputs((rows, columns)),
                rows=(2, 100),
                columns=(33, 2000),
                where=lambda rows, columns: 1024 < rows * columns < 4000,
            ),
        ),
        Case("float32, 100 rows, several parts", inputs((100, 64))),
        Case("8,195 columns", inputs((1, 8195))),
        Case("one row", inputs(6, "float64", eps=WIDE)),
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


def of_x(x: torch.Tensor, *others: object) -> int:
    """The sectors of x, and of every tensor of its shape."""
    return x.numel() * x.element_size() // SECTOR


def requests(x: torch.Tensor, *others: object) -> int:
    """Requests of x, if every lane loads 16 bytes."""
    return x.numel() * x.element_size() // (32 * 16)


def with_parts(x: torch.Tensor, *others: object) -> float:
    """Backward writes grad_x, and for weight and bias one row of partial sums for each block."""
    return 1.4 * of_x(x)


def in_all(x: torch.Tensor, *others: object) -> float:
    """What forward reads: a row of x, of weight and of bias for each row; half a row more is left over."""
    return 3.5 * of_x(x)


def in_all_backward(x: torch.Tensor, *others: object) -> float:
    """A row of x, of grad_out and of weight for each row; a row more for statistics and partial sums."""
    return 4 * of_x(x)


def and_statistics(x: torch.Tensor, *others: object) -> float:
    """Forward writes out, and two numbers for each row."""
    return 1.25 * of_x(x)


KEEP = "Hold the row in registers: what was loaded once need not be loaded again."
TOGETHER = "One kernel can compute all three gradients from one reading of x and grad_out."
NO_COPY = "A copy of a tensor in other memory is read, too: read the tensor itself, and once."
ONE_ROW = "Keep the sums over rows in registers, and write them once, when the block has no row left."
ORDER = (
    "Atomic additions happen in the order in which blocks arrive, so the last bits change from run to run: "
    "let every block write its own part, and add up the parts in a second launch."
)

EFFICIENCY = [
    Efficiency(
        Case("128 rows of 512", inputs((128, 512))),
        [
            Limit("global_load_sectors", of_x, share=3, rule=KEEP, of="x"),
            Limit("global_store_sectors", of_x, rule="Write every sector of out once.", of="the output"),
            # A copy in other memory would escape the limits on one tensor.
            Limit("global_load_sectors", in_all, rule=NO_COPY),
            Limit("global_store_sectors", and_statistics, rule=NO_COPY),
            Limit("global_atomic_sectors", 0, "backward", 2, ORDER),
            Limit("global_load_sectors", of_x, "backward", 2, TOGETHER, of="x"),
            Limit("global_load_sectors", of_x, "backward", 2, TOGETHER, of="grad_out"),
            Limit("global_store_sectors", of_x, "backward", rule="Write grad_x once.", of="grad_x"),
            Limit("global_load_sectors", in_all_backward, "backward", rule=NO_COPY),
            Limit("global_store_sectors", with_parts, "backward", rule=ONE_ROW),
        ],
    ),
    Efficiency(
        Case("float64, 48 rows of 256", inputs((48, 256), "float64")),
        [
            Limit("global_load_sectors", of_x, rule=KEEP, of="x"),
            Limit("global_load_sectors", in_all, rule=NO_COPY),
            Limit("global_load_requests", requests, rule="Load 16 bytes with one instruction.", of="x"),
        ],
    ),
]

SPEED = Speed(
    [tensor((16384, 4096)), tensor(4096), tensor(4096), EPS],
    baseline="torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)",
)

PROFILE = Case("64 rows of 512", inputs((64, 512)))
