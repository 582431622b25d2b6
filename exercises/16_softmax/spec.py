"""softmax: exp(x) over the sum of exp(x) along the last dimension of x, with its gradient."""

from typing import Any

import torch

from grader.specification import Case, Efficiency, Gradient, Limit, Refusal, Speed, TensorSpec, drawn, tensor

ENTRY = "softmax"
SECTOR = 32  # bytes: the least that global memory reads or writes


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)


def at_x(x: torch.Tensor) -> torch.Tensor:
    """Its gradient is x (g - sum(g x))."""
    y = x.detach()
    return y * (x - (y * x).sum(dim=-1, keepdim=True))


CONFUSED = {"x saved and used in place of y, the result": at_x}


def rows(
    shape: int | tuple[int, ...], dtype: str = "float32", limit: float = 8, **more: Any
) -> list[TensorSpec]:
    """x with values so far apart that the maximum matters: exp(16) is nine million."""
    return [tensor(shape, dtype, low=-limit, high=limit, **more)]


# As few threads as can hold a row share it: a lane holds 16 float32, a warp 512, a block 16,384; half as many
# of float64.
CASES = [
    # Of ones, every result is one over the width: these cases say which elements were counted, and how often.
    Case("ones, eight lanes to each of four rows", [tensor((4, 128), special="ones")]),
    Case("33 ones, one more in lane 0", [tensor((3, 33), special="ones")]),
    Case("two warps of ones", [tensor((2, 1000), special="ones")]),
    Case("ones, too long to fit", [tensor((1, 20_000), special="ones")]),
    Case("width 1: every result is 1", rows((300, 1))),
    Case("four lanes hold a row", rows((3, 40))),
    Case("a warp holds a row", rows((5, 400))),
    Case("eight lanes, one block and one row more", rows((33, 128))),
    Case("two warps hold a row", rows((3, 1000))),
    Case("one element", rows((1, 1))),
    Case("one row, no leading dimension", rows(77)),
    Case("odd width, rows begin anywhere", rows((13, 71))),
    Case("513, one more than a warp holds", rows((4, 513))),
    Case("three leading dimensions", rows((3, 2, 5, 17))),
    Case("the longest row that fits", rows((2, 16384))),
    Case("a row too long to fit", rows((2, 20_000))),
    Case("16,385, one more than fits", rows((2, 16_385))),
    Case("float64", rows((9, 31), "float64")),
    Case("float64, several warps", rows((3, 700), "float64")),
    Case("float64, too long to fit", rows((2, 9000), "float64")),
    Case("x begins in the middle of a pack", rows((6, 64), layout="offset")),
    Case("x transposed", rows((40, 30), layout="transposed")),
    Case("every second column of x", rows((11, 20), layout="sliced")),
    Case("x expanded over the rows", rows((14, 25), layout="expanded")),
    Case("no rows", rows((0, 8))),
    Case("no columns", rows((5, 0))),
    Case("large values, whose exp overflows", [tensor((10, 50), special="large")]),
    Case("large values, several warps", [tensor((3, 700), special="large")]),
    Case("large values, too long to fit", [tensor((1, 17_000), special="large")]),
    Case("every value far below zero", [tensor((6, 40), low=-2000, high=-1000)]),
    Case("far below zero, several warps", [tensor((2, 600), low=-2000, high=-1000)]),
    Case("far below zero, too long to fit", [tensor((1, 17_000), low=-2000, high=-1000)]),
    Case("masked: -inf from some place on", rows((12, 90), special="masked")),
    Case("masked, several warps", rows((8, 900), special="masked")),
    Case("masked, too long to fit", rows((3, 18_000), special="masked")),
    Case("infinities of both signs", rows((10, 50), special="inf")),
    Case("not-a-number goes through", rows((10, 50), special="nan")),
    Case("on a side stream", rows((20, 60)), stream="side"),
    Case("too long to fit, on a side stream", rows((1, 17_000)), stream="side"),
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda height, width: rows((height, width)),
            height=(2, 5000),
            width=(9, 30_000),
            where=lambda height, width: 1 << 16 < height * width < 90_000,
        ),
    ),
]

REFUSALS = [
    # x is the only argument, so PyTorch's dispatcher refuses the call before it reaches binding.cpp.
    Refusal("x on the CPU", [tensor((4, 6), device="cpu")], ["CPU"], NotImplementedError),
    Refusal("x has no dimension", [tensor(())], mentions=["x", "dimension"]),
    Refusal("x is int64", [tensor((4, 6), "int64")], mentions=["x", "floating"]),
]

# Closer together: where one result is nearly 1, g - sum(g y) cancels, and float32 has few digits left of it.
GRADIENT = Gradient(
    cases=[
        Case("float64", [tensor((5, 7), "float64")]),
        Case("float64, several warps", [tensor((1, 300), "float64")]),
        Case("float64, transposed", [tensor((6, 4), "float64", layout="transposed")]),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda height, width: rows((height, width), limit=2),
                height=(2, 500),
                width=(2, 2000),
                where=lambda height, width: 1024 < height * width < 4000,
            ),
        ),
        Case("float32, several warps", rows((3, 1200), limit=2)),
        Case("float32, too long to fit", rows((1, 17_000), limit=2)),
        Case("float32, too long to fit, odd width", rows((1, 16_387), limit=2)),
        Case("width 1: the gradient is 0", [tensor((9, 1), "float64")]),
        Case("no rows", [tensor((0, 8), "float64")]),
        Case("on a side stream", rows((9, 10), limit=2), stream="side"),
    ],
)


def accumulation(x: torch.Tensor) -> int:
    """A row is added up."""
    return max(1, x.shape[-1])


def traffic(x: torch.Tensor) -> int:
    """Read x once, write the result once."""
    return 2 * x.numel() * x.element_size()


def flops(x: torch.Tensor) -> int:
    """A comparison, a difference, one exp, a sum and a product for each element."""
    return 5 * x.numel()


def once(x: torch.Tensor) -> int:
    """The sectors of x; y and both gradients have as many."""
    return x.numel() * x.element_size() // SECTOR


def twice(x: torch.Tensor) -> int:
    return 2 * once(x)


def four_times(x: torch.Tensor) -> int:
    return 4 * once(x)


FITS = "A row that fits into the registers of its threads is read once: keep it there until it is written."
LONG = "One pass is enough for the maximum and the sum together, and a second one writes: two reads."
WRITES = "Each result is written once; what comes before it belongs in registers."

EFFICIENCY = [
    Efficiency(
        Case("a row that fits: 32 rows of 1024", rows((32, 1024))),
        [
            Limit("global_load_sectors", once, share=3, rule=FITS),
            Limit("global_store_sectors", once, rule=WRITES),
            Limit("global_load_sectors", twice, stage="backward", share=2, rule="y and grad_y: " + FITS),
            Limit("global_store_sectors", once, stage="backward", rule=WRITES),
        ],
    ),
    Efficiency(
        Case("a row that does not fit: 1 row of 32,768", rows((1, 32_768))),
        [
            Limit("global_load_sectors", twice, share=3, rule=LONG),
            Limit("global_store_sectors", once, rule=WRITES),
            Limit(
                "global_load_sectors",
                four_times,
                stage="backward",
                share=2,
                rule="y and grad_y are read twice each: once for the sum, once for the results.",
            ),
            Limit("global_store_sectors", once, stage="backward", rule=WRITES),
        ],
    ),
]

SPEED = Speed(
    [tensor((16_384, 4096))], baseline="torch.softmax(x, dim=-1)", steps=((0.3, 0.25), (0.6, 0.5), (0.9, 1.0))
)

PROFILE = Case("64 rows of 1024", rows((64, 1024)))
