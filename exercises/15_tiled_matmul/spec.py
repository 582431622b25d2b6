"""matmul: a @ b for float32 or float64 matrices of any layout, with gradients; questions about find.cu."""

from typing import Any

import torch

from grader.specification import (
    Case,
    Choice,
    Count,
    Efficiency,
    Gradient,
    Limit,
    Program,
    Refusal,
    Speed,
    TensorSpec,
    drawn,
    tensor,
)

ENTRY = "matmul"
TILE = 32
SECTOR = 32  # bytes: the least that global memory reads or writes


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def pair(m: int, k: int, n: int, dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    return [tensor((m, k), dtype, **more), tensor((k, n), dtype, **more)]


CASES = [
    # A product of ones says how many terms were added up, and how often.
    Case("one tile of ones", pair(32, 32, 32, special="ones")),
    Case("one tile", pair(32, 32, 32), launch_errors=True),
    Case("three tiles of ones along k", pair(32, 96, 32, special="ones")),
    Case("40 ones along k, a tile and a quarter", pair(32, 40, 32, special="ones")),
    Case("several tiles along k", pair(32, 128, 32)),
    Case("two tiles by three", pair(64, 32, 96)),
    Case("one element", pair(1, 1, 1)),
    Case("less than a tile", pair(7, 5, 9)),
    Case("one more than a tile in every direction", pair(33, 33, 33)),
    Case("one less than a tile in every direction", pair(31, 31, 31)),
    Case("k is no multiple of the tile", pair(64, 45, 32)),
    Case("m is no multiple of the tile", pair(50, 64, 32)),
    Case("n is no multiple of the tile", pair(32, 64, 77)),
    Case("a row times a matrix", pair(1, 50, 70)),
    Case("a matrix times a column", pair(45, 70, 1)),
    Case("float64", pair(37, 41, 34, "float64")),
    Case("a transposed", [tensor((45, 70), layout="transposed"), tensor((70, 40))]),
    Case("b transposed", [tensor((45, 70)), tensor((70, 40), layout="transposed")]),
    Case("both transposed, float64", pair(33, 50, 40, "float64", layout="transposed")),
    Case("every second column", pair(40, 34, 38, layout="sliced")),
    Case("begins in the middle of a sector", pair(40, 34, 38, layout="offset")),
    Case("an expanded b", [tensor((6, 41)), tensor((41, 40), layout="expanded")]),
    Case("nothing to add up: zeros", pair(35, 0, 40)),
    Case("an empty result", pair(0, 4, 6)),
    Case("large values", pair(40, 50, 40, special="large")),
    Case("not-a-number goes through", [tensor((40, 35), special="nan"), tensor((35, 38))]),
    Case("infinity goes through", [tensor((40, 35)), tensor((35, 38), special="inf")]),
    Case(
        "zero times not-a-number is not-a-number",
        [tensor((40, 35), special="nan"), tensor((35, 38), special="zeros")],
    ),
    Case(
        "zero times infinity is not-a-number",
        [tensor((40, 35), special="zeros"), tensor((35, 38), special="inf")],
    ),
    Case("on a side stream", pair(64, 40, 40), stream="side"),
    # Several tiles in every direction, and more of them than a grid of 2 x 2; larger products take too long
    # on a simulated GPU.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            pair,
            m=(33, 300),
            k=(33, 300),
            n=(33, 300),
            where=lambda m, k, n: m * n > 4096 and m * n * k < 500_000,
        ),
    ),
]

REFUSALS = [
    Refusal("inner sizes differ", [tensor((3, 4)), tensor((5, 6))], mentions=["b", "rows"]),
    Refusal("a is a vector", [tensor(4), tensor((4, 4))], mentions=["a", "dimension"]),
    Refusal("b has a batch dimension", [tensor((4, 4)), tensor((2, 4, 4))], mentions=["b", "dimension"]),
    Refusal("b is float64", [tensor((4, 4)), tensor((4, 4), "float64")], mentions=["b", "double"]),
    Refusal("a on the CPU", [tensor((4, 4), device="cpu"), tensor((4, 4))], mentions=["a", "CUDA"]),
    Refusal("b on the CPU", [tensor((4, 4)), tensor((4, 4), device="cpu")], mentions=["b", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", pair(7, 5, 9, "float64")),
        Case("float64, transposed", pair(4, 6, 3, "float64", layout="transposed")),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                pair, m=(33, 150), k=(33, 150), n=(33, 150), where=lambda m, k, n: m * n * k < 100_000
            ),
        ),
        Case("nothing to add up", pair(3, 0, 2, "float64")),
        Case("on a side stream", pair(33, 10, 34), stream="side"),
    ],
    unrequested=True,
    twice=True,
)


def accumulation(a: torch.Tensor, b: torch.Tensor) -> int:
    """out adds up k products, grad_a n of them, grad_b m of them."""
    return max(*a.shape, *b.shape, 1)


def traffic(a: torch.Tensor, b: torch.Tensor) -> int:
    """The least that any kernel can move: each operand once, the result once."""
    return (a.numel() + b.numel() + a.shape[0] * b.shape[1]) * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor) -> int:
    return 2 * a.shape[0] * a.shape[1] * b.shape[1]


def _read(m: int, k: int, n: int, size: int) -> int:
    """Sectors of tiled loads: n / TILE blocks read each row of the left factor, m / TILE each column of the
    right one."""
    return (m * k * (n // TILE) + k * n * (m // TILE)) * size // SECTOR


def forward_sectors(a: torch.Tensor, b: torch.Tensor) -> int:
    return _read(a.shape[0], a.shape[1], b.shape[1], a.element_size())


def backward_sectors(a: torch.Tensor, b: torch.Tensor) -> int:
    """(m, n) @ (n, k) for a, (k, m) @ (m, n) for b."""
    m, k, n, size = a.shape[0], a.shape[1], b.shape[1], a.element_size()
    return _read(m, n, k, size) + _read(k, m, n, size)


def out_sectors(a: torch.Tensor, b: torch.Tensor) -> int:
    return a.shape[0] * b.shape[1] * a.element_size() // SECTOR


READ = (
    "A block loads each element of its tiles of 32 x 32 once, as one element per thread; neighbouring lanes "
    "read neighbours in memory, in a transposed operand too."
)
BACKWARD = "t() hands your kernel a matrix whose columns are contiguous: let the lanes go down those."
BANKS = "If lanes write or read a column of a tile, its rows must not be a multiple of 32 words apart."
WRITE = "Neighbouring lanes should write neighbouring elements of a row of out."

EFFICIENCY = [
    Efficiency(
        Case("96 x 64 times 64 x 128", pair(96, 64, 128)),
        [
            Limit("global_load_sectors", forward_sectors, share=4, rule=READ),
            Limit("global_store_sectors", out_sectors, rule=WRITE),
            Limit("bank_conflicts", 0, rule=BANKS),
            Limit("global_load_sectors", backward_sectors, stage="backward", share=3, rule=BACKWARD),
            Limit("bank_conflicts", 0, stage="backward", rule=BANKS),
        ],
    ),
    Efficiency(
        Case("float64, 64 x 64, both transposed", pair(64, 64, 64, "float64", layout="transposed")),
        [
            Limit("global_load_sectors", forward_sectors, rule=READ),
            Limit("bank_conflicts", 0, rule=BANKS),
        ],
    ),
]

# On an H200 the kernel of exercise 06 reached 0.10 of the library's speed, tiles of 16 x 16 0.12 and the
# solution 0.13; with 4 x 4 elements per thread it is 0.30.
SPEED = Speed(
    [tensor((2048, 2048)), tensor((2048, 2048))],
    baseline="a @ b",
    steps=((0.06, 0.25), (0.09, 0.5), (0.12, 1.0)),
)

PROFILE = Case("128 x 128 x 128", pair(128, 128, 128))

FIND = Program(
    "find.cu",
    {"m": (64, 128, 96, 160), "k": (96, 64, 128, 160), "n": (128, 160, 64, 96), "tile": (8, 32, 16)},
)
RUN = "`find.py` runs with m, k, n, tile = {m} {k} {n} {tile}."
LINES = {
    "a": "(A), the load of a",
    "b": "(B), the load of b",
    "c": "(C), the read of a's tile",
    "d": "(D), the read of b's tile",
    "e": "(E), the store of the result",
}


def about(line: str) -> dict[str, Any]:
    """The arguments that every question about a line of find.cu shares."""
    return {"program": FIND, "call": ("product", "m", "k", "n", "tile"), "line": f"// ({line})"}


QUESTIONS = [
    Choice(
        "excess_line",
        "Which line of find.cu moves more sectors of global memory than its lanes need?",
        LINES,
        think="Compare the columns `per request` and `ideal` of the rows for global memory.",
    ),
    Count(
        "excess_sectors",
        RUN + " How many sectors does one request of the line with the excess move?",
        **about("B"),
        metric="sectors_per_request",
        think="A warp is 32 / tile rows of the block. How many rows of b do its lanes read in one request?",
    ),
    Count(
        "excess_total",
        "The same run: how many sectors does that line move in all?",
        **about("B"),
        metric="sectors",
        think="Requests times sectors per request: the profile has both for each line.",
    ),
    Count(
        "good_total",
        "The same run: how many sectors does the other load of global memory move in all?",
        **about("A"),
        metric="sectors",
        think="Each element of a is read once for each tile across out, n / tile times, and a sector has "
        "8 floats.",
    ),
    Choice(
        "conflict_line",
        "Which line of find.cu has bank conflicts?",
        LINES,
        think="Compare `per request` and `ideal` of the rows for shared memory. Which line reads a tile "
        "down a column?",
    ),
    Count(
        "conflict_wavefronts",
        RUN + " How many wavefronts does one request of the line with the conflicts take?",
        **about("D"),
        metric="wavefronts_per_request",
        think="The lanes' words are `tile` words apart, and word i is in bank i % 32. How many words share "
        "the busiest bank?",
    ),
    Choice(
        "one_repair",
        "Which change makes both lines ideal and leaves the answers right?",
        {
            "a": "declare b_tile as [kTile][kTile + 1]",
            "b": "exchange x and y on the right of (B), and read b_tile[i][x] in (D)",
            "c": "write b_tile[x][y] in (B), and read b_tile[i][x] in (D)",
            "d": "launch the blocks with m and n exchanged",
        },
        think="Go through each change with lanes 0 and 1: which elements of b do they read in (B), and which "
        "words of the tile in (D)?",
    ),
    Choice(
        "without_second",
        "The barrier after the inner loop is removed. What can happen?",
        {
            "a": "nothing: the first barrier of the next round keeps the warps together",
            "b": "a warp that is ahead overwrites elements that another warp has still to read",
            "c": "a warp reads elements of the first tile before any thread has written them",
            "d": "the block waits forever, because barriers have to come in pairs",
        },
        think="A warp that is ahead may run until the next barrier. What does it do on the way there, and "
        "where may the others be?",
    ),
]
