"""transpose: a dense matrix with rows and columns exchanged in memory, float32 or float64, with gradients."""

import torch

from grader.specification import Case, Efficiency, Gradient, Limit, Refusal, Speed, drawn, tensor

ENTRY = "transpose"
SECTOR = 32  # bytes: the least that global memory reads or writes


def reference(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous()


CASES = [
    Case("one full tile", [tensor((64, 64))], launch_errors=True),
    Case("one element", [tensor((1, 1))]),
    Case("one row and one column more than a tile", [tensor((65, 65))]),
    Case("less than a tile", [tensor((7, 5))]),
    Case("odd sizes", [tensor((77, 101))]),
    Case("wide", [tensor((9, 200))]),
    Case("tall", [tensor((200, 9))]),
    Case("one row", [tensor((1, 77))]),
    Case("one column", [tensor((77, 1))]),
    Case("whole tiles, two by three", [tensor((128, 192))]),
    Case("float64", [tensor((37, 50), "float64")]),
    Case("begins in the middle of a sector", [tensor((35, 40), layout="offset")]),
    Case("no rows", [tensor((0, 8))]),
    Case("no columns", [tensor((5, 0))]),
    Case("large values", [tensor((20, 50), special="large")]),
    Case("not-a-number goes through", [tensor((20, 50), special="nan")]),
    Case("on a side stream", [tensor((64, 40))], stream="side"),
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop; 17 rows or
    # more, since a tile of which little is used costs a simulated GPU as much as a whole one.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda rows, columns: [tensor((rows, columns))],
            rows=(17, 5000),
            columns=(17, 5000),
            where=lambda rows, columns: 1 << 16 < rows * columns < 90_000,
        ),
    ),
]

REFUSALS = [
    Refusal("x is a vector", [tensor(4)], mentions=["x", "dimension"]),
    Refusal("x has a batch dimension", [tensor((2, 4, 4))], mentions=["x", "dimension"]),
    Refusal("x is a transposed view", [tensor((4, 6), layout="transposed")], mentions=["x", "contiguous"]),
    Refusal("every second column of x", [tensor((4, 6), layout="sliced")], mentions=["x", "contiguous"]),
    Refusal(  # the dispatcher's own refusal: there is a kernel for the CUDA key alone
        "x on the CPU", [tensor((4, 6), device="cpu")], mentions=["CPU"], exception=NotImplementedError
    ),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", [tensor((7, 5), "float64")]),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda rows, columns: [tensor((rows, columns))],
                rows=(5, 700),
                columns=(5, 700),
                where=lambda rows, columns: 1024 < rows * columns < 4000,
            ),
        ),
        Case("one row", [tensor((1, 9), "float64")]),
        Case("no rows", [tensor((0, 8), "float64")]),
        Case("on a side stream", [tensor((9, 40))], stream="side"),
    ],
    by_kernel=True,
)


def traffic(x: torch.Tensor) -> int:
    """Read every element once, write it once."""
    return 2 * x.numel() * x.element_size()


def sectors(x: torch.Tensor) -> int:
    """Of x, and of the result: each holds as many bytes, and here every row begins with a whole sector."""
    return x.numel() * x.element_size() // SECTOR


def both(x: torch.Tensor) -> int:
    return 2 * sectors(x)


READ = "Neighbouring lanes should read neighbouring elements of one row of x."
WRITE = (
    "Neighbouring lanes should write neighbouring elements of one row of out: lanes exchange their elements "
    "through a tile in shared memory."
)
TURN = "The tile is written by rows and read by columns: lay it out so that both reach 32 different banks."

EFFICIENCY = [
    Efficiency(
        Case("96 rows of 160", [tensor((96, 160))]),
        [
            Limit("global_load_sectors", sectors, rule=READ),
            Limit("global_store_sectors", sectors, share=3, rule=WRITE),
            Limit("bank_conflicts", 0, share=2, rule=TURN),
            Limit("global_sectors", both, stage="backward", rule="Backward is the same transpose."),
        ],
    ),
    Efficiency(
        Case("float64, 96 rows of 64", [tensor((96, 64), "float64")]),
        [Limit("global_sectors", both), Limit("bank_conflicts", 0, rule=TURN)],
    ),
]

# On an H200 the naive kernel reached 0.13 of the copy; with tiles of 32 x 32 the tiled one 0.43 and the
# padded one 0.80; the solution 0.95.
SPEED = Speed([tensor((4096, 4096))], baseline="x.clone()", steps=((0.3, 0.25), (0.5, 0.5), (0.7, 1.0)))

# The size at which the counters of an H200 are recorded, see the lesson.
PROFILE = Case("256 x 256", [tensor((256, 256))])
