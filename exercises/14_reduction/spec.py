"""Sums by warps, by blocks, of a vector and of columns, in four parts; and questions about three trees."""

from typing import Any

import torch

from grader.specification import (
    Case,
    Choice,
    Count,
    Efficiency,
    Gradient,
    Limit,
    Part,
    Program,
    Refusal,
    Speed,
    drawn,
    tensor,
)


def column_sums(x: torch.Tensor) -> torch.Tensor:
    return x.sum(dim=0)


def by_groups(x: torch.Tensor, size: int) -> torch.Tensor:
    """The sum of every `size` elements; the last one may have fewer."""
    groups = -(-x.numel() // size)
    padded = torch.zeros(groups * size, dtype=x.dtype, device=x.device)
    padded[: x.numel()] = x
    return padded.view(groups, size).sum(dim=1)


def warp_sums(x: torch.Tensor) -> torch.Tensor:
    return by_groups(x, 32)


def block_sums(x: torch.Tensor) -> torch.Tensor:
    return by_groups(x, 256)


# The sum of ones says how many elements were added, and how often.
WARPS = [
    Case("a warp of ones", [tensor(32, special="ones")]),
    Case("a warp", [tensor(32)], launch_errors=True),
    Case("one element", [tensor(1, low=0.5, high=3)]),
    Case("31 elements, not a whole warp", [tensor(31)]),
    Case("33 elements, one more than a warp", [tensor(33)]),
    Case("1000 elements", [tensor(1000)]),
    Case("float64", [tensor(300, "float64")]),
    Case("no element", [tensor(0)]),
    Case("not-a-number stays in its warp", [tensor(400, special="nan")]),
    Case("on a side stream", [tensor(500)], stream="side"),
    # More elements than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case("sizes of this verdict", sizes=drawn(lambda n: [tensor(n)], n=(65_537, 90_000))),
]

BLOCKS = [
    Case("a block of ones", [tensor(256, special="ones")]),
    Case("a block", [tensor(256)]),
    Case("one element", [tensor(1, low=0.5, high=3)]),
    Case("a warp and one element", [tensor(33)]),
    Case("one more than a block", [tensor(257)]),
    Case("5000 elements", [tensor(5000)]),
    Case("float64", [tensor(700, "float64")]),
    Case("no element", [tensor(0)]),
    Case("on a side stream", [tensor(900)], stream="side"),
    Case("sizes of this verdict", sizes=drawn(lambda n: [tensor(n)], n=(65_537, 90_000))),
]

VECTORS = [
    Case("a block of ones", [tensor(256, special="ones")]),
    Case("20,000 ones, several blocks", [tensor(20_000, special="ones")]),
    Case("one block of a vector", [tensor(256)]),
    Case("one element", [tensor(1, low=0.5, high=3)]),
    Case("31 elements, not a whole warp", [tensor(31)]),
    Case("1025 elements", [tensor(1025)]),
    Case("a vector of nothing", [tensor(0)]),
    Case("a vector, float64", [tensor(20_001, "float64")]),
    Case("every second element of a vector", [tensor(3000, layout="sliced")]),
    Case("a vector on a side stream", [tensor(9000)], stream="side"),
    # Of one sign: where random signs cancel, the error of so many roundings may be as large as the sum.
    Case(
        "sizes of this verdict, many blocks",
        sizes=drawn(lambda n: [tensor(n, low=0, high=1)], n=(300_000, 1_200_000)),
    ),
]

COLUMNS = [
    Case("a tile of ones", [tensor((32, 32), special="ones")]),
    Case("a tile", [tensor((32, 32))]),
    Case("1000 rows of ones, several parts", [tensor((1000, 37), special="ones")]),
    Case("one row", [tensor((1, 45))]),
    Case("one column", [tensor((70, 1))]),
    Case("one row less than a tile, one column more", [tensor((31, 33))]),
    Case("many rows, several parts", [tensor((1000, 37))]),
    Case("a matrix, float64", [tensor((290, 35), "float64")]),
    Case("no rows", [tensor((0, 40))]),
    Case("no columns", [tensor((40, 0))]),
    Case("x transposed", [tensor((50, 70), layout="transposed")]),
    Case("x expanded over the rows", [tensor((40, 35), layout="expanded")]),
    Case("large values", [tensor((300, 40), special="large")]),
    Case("not-a-number goes through", [tensor((300, 40), special="nan")]),
    Case("a matrix on a side stream", [tensor((300, 40))], stream="side"),
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda rows, columns: [tensor((rows, columns), low=0, high=1)],
            rows=(17, 9000),
            columns=(9, 5000),
            where=lambda rows, columns: 1 << 16 < rows * columns < 90_000,
        ),
    ),
]

REFUSALS = [
    # x is the only argument, so PyTorch's dispatcher refuses the call before it reaches binding.cpp.
    Refusal("x on the CPU", [tensor((4, 6), device="cpu")], ["CPU"], NotImplementedError),
    Refusal("x has three dimensions", [tensor((2, 3, 4))], mentions=["x", "dimension"]),
    Refusal("x has no dimension", [tensor(())], mentions=["x", "dimension"]),
    Refusal("x is int64", [tensor((4, 6), "int64")], mentions=["x", "floating"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64 vector", [tensor(9, "float64")]),
        Case("float64 matrix", [tensor((5, 7), "float64")], launch_errors=True),
        Case("float64, transposed", [tensor((6, 4), "float64", layout="transposed")]),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda rows, columns: [tensor((rows, columns))],
                rows=(5, 700),
                columns=(5, 700),
                where=lambda rows, columns: 1024 < rows * columns < 6000,
            ),
        ),
        Case("no rows", [tensor((0, 8), "float64")]),
        Case("on a side stream", [tensor((9, 10))], stream="side"),
    ],
)


def accumulation(x: torch.Tensor) -> int:
    """Every row is added into one sum; by warps and by blocks, no more than that."""
    return max(1, x.shape[0])


PARTS = [
    Part(
        "warps",
        "a sum for each warp",
        entry="warp_sums",
        reference=warp_sums,
        cases=WARPS,
        accumulation=accumulation,
        sections=("warp_sum",),
        points=12,
    ),
    Part(
        "blocks",
        "a sum for each block",
        entry="block_sums",
        reference=block_sums,
        cases=BLOCKS,
        accumulation=accumulation,
        sections=("block_sum",),
        points=12,
    ),
    Part(
        "vector",
        "the sum of a vector, in two stages",
        entry="vector_sum",
        reference=column_sums,
        cases=VECTORS,
        accumulation=accumulation,
        sections=("vector_stage", "stages"),
        points=16,
    ),
    Part(
        "columns",
        "the sums of columns, with gradients",
        entry="column_sums",
        reference=column_sums,
        cases=COLUMNS,
        refusals=REFUSALS,
        gradient=GRADIENT,
        accumulation=accumulation,
        sections=("read_rows", "turn", "backward"),
        points=20,
        main=True,
    ),
]


def traffic(x: torch.Tensor) -> int:
    """Read x once, write one sum for each column."""
    return (x.numel() + x.numel() // max(1, x.shape[0])) * x.element_size()


def flops(x: torch.Tensor) -> int:
    return x.numel()


def read_once(x: torch.Tensor) -> int:
    """The sectors of x, and a tenth more for the partial sums."""
    return 11 * x.numel() * x.element_size() // (10 * 32)


EFFICIENCY = [
    Efficiency(
        Case("a matrix of 1024 x 96", [tensor((1024, 96))]),
        [
            Limit(
                "global_load_sectors", read_once, share=2, rule="A warp reads neighbours in one row, once."
            ),
            Limit("bank_conflicts", 0, rule="Make a tile that is read by columns one element wider."),
        ],
    ),
    Efficiency(
        Case("a vector of 100,000", [tensor(100_000)]),
        [Limit("global_load_sectors", read_once, rule="Neighbouring threads read neighbours, once.")],
    ),
]

# The solution reaches 0.75 on an H200.
SPEED = Speed([tensor((8192, 4096))], baseline="x.sum(dim=0)", steps=((0.25, 0.25), (0.5, 0.5), (0.65, 1.0)))

TREES = Program("predict.cu", {"block": (64, 128, 256, 512), "step": (5, 2, 3, 4, 6, 7)})


def about(line: str, *call: str) -> dict[str, Any]:
    """The arguments that every question about a line of predict.cu shares."""
    return {"program": TREES, "call": call, "line": f";  // ({line})"}


QUESTIONS = [
    Count(
        "modulo_requests",
        "`modulo_tree` runs with {block} threads. How many requests does line (A) make, over all levels?",
        **about("A", "modulo_tree", "block"),
        metric="requests",
        think="A warp makes a request if at least one of its lanes is active: look at each level separately.",
    ),
    Count(
        "modulo_lanes",
        "The same run: how many lanes of a request at line (A) are active, on average? One decimal.",
        **about("A", "modulo_tree", "block"),
        metric="lanes_per_request",
        digits=1,
        think="Adding up n numbers takes n - 1 additions, in whatever order. Divide them among the requests.",
    ),
    Count(
        "packed_requests",
        "`packed_tree` runs with {block} threads. How many requests does line (B) make, over all levels?",
        **about("B", "packed_tree", "block"),
        metric="requests",
        think="The active threads are the first of the block: how many warps are they in, at each level?",
    ),
    Count(
        "packed_wavefronts",
        "The same run: how many wavefronts do the requests of line (B) take?",
        **about("B", "packed_tree", "block"),
        metric="wavefronts",
        think="Word i is in bank i % 32, and a request takes as many wavefronts as its busiest "
        "bank has words.",
    ),
    Count(
        "halving_wavefronts",
        "`halving_tree` runs with {block} threads. How many wavefronts does line (C) take, over all levels?",
        **about("C", "halving_tree", "block"),
        metric="wavefronts",
        think="Neighbouring lanes read neighbouring words: in which banks? Then count the requests.",
    ),
    Count(
        "piece_sectors",
        "`own_piece` runs with {block} threads and step = {step}. How many sectors does a request of "
        "line (D) move?",
        **about("D", "own_piece", "block", "step"),
        metric="sectors_per_request",
        think="How many bytes apart are neighbouring lanes, and so lanes 0 and 31? A sector has 32.",
    ),
    Choice(
        "past_the_end",
        "All lanes of a warp call __shfl_down_sync(0xffffffff, value, 16). What does lane 20 get?",
        {
            "a": "the value of lane 4 of the next warp",
            "b": "the value of lane 4 of its own warp, since lanes are counted modulo 32",
            "c": "its own value",
            "d": "zero",
        },
        think="A shuffle stays within the warp and does not wrap around. What does a lane get if no lane "
        "is above it at that distance?",
    ),
    Choice(
        "absent_lanes",
        "In a branch that only lanes 0 to 15 take, they call __shfl_down_sync(0xffffffff, value, 8). "
        "What happens?",
        {
            "a": "lanes 0 to 7 get the right values; the mask only matters for speed",
            "b": "nothing is guaranteed: the mask names lanes that do not make this call",
            "c": "the other lanes take part with a value of zero",
            "d": "the compiler rejects it",
        },
        think="A mask is a promise about which lanes make this very call. Which of them do, here?",
    ),
    Choice(
        "last_warp",
        "In a variant of halving_tree, one warp does the last levels: each lane does s[t] += s[t + stride] "
        "for stride = 16, 8, 4, 2, 1, with no barrier between them, because a warp runs in step anyway. "
        "Is that right?",
        {
            "a": "it is right: all lanes of a warp execute an instruction together",
            "b": "it is right if s is volatile, so that no value stays in a register",
            "c": "lanes may run apart: each level needs a __syncwarp() after reading and one after writing",
            "d": "only __syncthreads() orders shared memory, so the whole block has to take part",
        },
        think="Since Volta, every thread has its own program counter. What, then, fixes the order in which "
        "two lanes access one word, and which threads have to take part in it?",
    ),
    Choice(
        "between_stages",
        "Why does a second launch add up the partial sums of the blocks, and not block 0 at its end?",
        {
            "a": "block 0 must not wait for the others: some may start only after it has ended",
            "b": "shared memory is too small for the partial sums",
            "c": "a kernel cannot read global memory that it has written itself",
            "d": "a second launch runs on another stream, so the two overlap",
        },
        think="A GPU holds as many blocks as fit, and starts another one when one ends. In which order?",
    ),
]
