"""matmul: a @ b for float32 or float64 matrices of any layout, with gradients, from tiles in registers."""

import torch

from grader.specification import Case, Efficiency, Gradient, Limit, Refusal, Speed, TensorSpec, drawn, tensor

ENTRY = "matmul"
SECTOR = 32  # bytes: the least that global memory reads or writes
VECTOR = 16  # bytes that a lane moves with one instruction
WARP = 32
ROWS = COLUMNS = 128  # of a block's tile of out, for floats
DEPTH = 16  # of a tile along k, for floats
WARPS = 8  # of a block


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def pair(m: int, k: int, n: int, dtype: str = "float32", **more: str) -> list[TensorSpec]:
    return [tensor((m, k), dtype, **more), tensor((k, n), dtype, **more)]


def steps(a: torch.Tensor) -> torch.Tensor:
    return torch.arange(a.shape[1])


def the_round_before(a: torch.Tensor) -> torch.Tensor:
    return torch.where(steps(a) < DEPTH, steps(a), steps(a) - DEPTH)


def a_round_late(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    taken = the_round_before(a)
    return a[:, taken] @ b[taken]


def without_second_vectors(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    columns = torch.arange(b.shape[1])
    return (a @ b)[:, columns - columns % 64 // 32 * 32]


CONFUSED = {
    "the product with every pair of tiles used a round late, the first one twice": a_round_late,
    "the product with every tile of b from the round before, the first one twice": lambda a, b: (
        a @ b[the_round_before(a)]
    ),
    "the product with every tile of a from the round before, the first one twice": lambda a, b: (
        a[:, the_round_before(a)] @ b
    ),
    "the product with the row of b for the first of four steps along k in all four": lambda a, b: (
        a @ b[steps(a) // 4 * 4]
    ),
    "the product with a thread's first vector of b in place of its second vector": without_second_vectors,
}

CASES = [
    # A product of ones says how many terms were added up, and how often.
    Case("one tile of ones, one round", pair(128, 16, 128, special="ones")),
    Case("one tile of ones, two rounds", pair(128, 32, 128, special="ones")),
    Case("one tile, five rounds", pair(128, 80, 128)),
    Case("20 ones along k, a tile and a quarter", pair(128, 20, 128, special="ones")),
    Case("two tiles by three", pair(256, 16, 384)),
    Case("one element", pair(1, 1, 1)),
    Case("less than a vector in every direction", pair(3, 2, 3)),
    Case("less than a tile", pair(40, 12, 52)),
    Case("one more than a tile in every direction", pair(129, 17, 129)),
    Case("one vector more than a tile in every direction", pair(132, 20, 132)),
    Case("k is a multiple of four, not of the tile", pair(64, 28, 64)),
    Case("k is odd", pair(132, 37, 132)),
    Case("n is odd", pair(64, 32, 133)),
    Case("a row times a matrix", pair(1, 50, 70)),
    Case("a matrix times a column", pair(45, 70, 1)),
    Case("float64", pair(37, 41, 34, "float64")),
    Case("float64, in vectors", pair(70, 24, 66, "float64")),
    Case("a transposed", [tensor((45, 72), layout="transposed"), tensor((72, 40))]),
    Case("b transposed", [tensor((45, 72)), tensor((72, 40), layout="transposed")]),
    Case("rows that begin in vectors and end inside one", pair(130, 38, 134, layout="truncated")),
    Case("every second column", pair(128, 32, 128, layout="sliced")),
    Case("begins one element into its storage", pair(128, 36, 128, layout="offset")),
    Case("an expanded b", [tensor((6, 44)), tensor((44, 40), layout="expanded")]),
    Case("nothing to add up: zeros", pair(36, 0, 40)),
    Case("an empty result", pair(0, 4, 8)),
    Case("large values", pair(40, 52, 40, special="large")),
    Case("not-a-number goes through", [tensor((40, 36), special="nan"), tensor((36, 40))]),
    Case("zero times infinity", [tensor((40, 36), special="zeros"), tensor((36, 40), special="inf")]),
    Case("on a side stream", pair(64, 40, 40), stream="side"),
    Case(
        "sizes of this verdict",
        sizes=drawn(
            pair,
            m=(33, 500),
            k=(17, 200),
            n=(33, 500),
            where=lambda m, k, n: m * n > 66_000 and m * n * k < 5_000_000,
        ),
    ),
]

REFUSALS = [
    Refusal("inner sizes differ", [tensor((3, 4)), tensor((5, 6))], mentions=["b", "rows"]),
    Refusal("a is a vector", [tensor(4), tensor((4, 4))], mentions=["a", "dimension"]),
    Refusal("b is float64", [tensor((4, 4)), tensor((4, 4), "float64")], mentions=["b", "double"]),
    Refusal("a on the CPU", [tensor((4, 4), device="cpu"), tensor((4, 4))], mentions=["a", "CUDA"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", pair(4, 5, 6, "float64")),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                pair,
                m=(33, 150),
                k=(33, 150),
                n=(33, 150),
                where=lambda m, k, n: 60_000 < m * n * k < 200_000,
            ),
        ),
        Case("on a side stream", pair(36, 12, 32), stream="side"),
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


def multiply_adds(a: torch.Tensor, b: torch.Tensor) -> int:
    """Of a warp: 32 of them are one instruction."""
    return a.shape[0] * a.shape[1] * b.shape[1] // WARP


def read_sectors(a: torch.Tensor, b: torch.Tensor) -> int:
    """n / COLUMNS blocks read each row of a, m / ROWS blocks each column of b."""
    (m, k), n = a.shape, b.shape[1]
    return (m * k * (n // COLUMNS) + k * n * (m // ROWS)) * a.element_size() // SECTOR


def read_requests(a: torch.Tensor, b: torch.Tensor) -> int:
    """The same bytes, 16 for each lane."""
    return read_sectors(a, b) * SECTOR // (VECTOR * WARP)


def store_requests(a: torch.Tensor, b: torch.Tensor) -> int:
    return a.shape[0] * b.shape[1] * a.element_size() // (VECTOR * WARP)


def shared_requests(a: torch.Tensor, b: torch.Tensor) -> int:
    """8 x 8 sums for each thread: four vectors for 64 multiply-adds."""
    return multiply_adds(a, b) // 16


def shared_wavefronts(a: torch.Tensor, b: torch.Tensor) -> int:
    """At most four for each of these vectors, one for each quarter of a warp."""
    return multiply_adds(a, b) // 4


def barriers(a: torch.Tensor, b: torch.Tensor) -> int:
    """One in each round, for each warp of each block."""
    (m, k), n = a.shape, b.shape[1]
    return m // ROWS * (n // COLUMNS) * WARPS * (k // DEPTH)


SHARED = (
    "Read 16 bytes with each load, and use each number that is in a register for a whole row or column of "
    "the thread's sums, of which 8 x 8 are enough."
)
BANKS = "Neighbouring lanes should take neighbouring vectors, in both tiles."
READ = "A block copies each element of its tiles once; with 128 x 128 elements of out, that is enough."
WIDE = "Copy 16 bytes at a time where rows begin at multiples of 16 bytes."
STORES = "Store 16 bytes at a time where the rows of out begin at multiples of 16 bytes."
ONCE = (
    "With two buffers, one barrier in a round is enough, of 16 steps along k: it orders the copies and the "
    "reads before them."
)

EFFICIENCY = Efficiency(
    Case("256 x 64 times 64 x 128", pair(256, 64, 128)),
    [
        Limit("shared_load_requests", shared_requests, share=4, rule=SHARED),
        Limit("shared_load_wavefronts", shared_wavefronts, share=4, rule=SHARED),
        Limit("bank_conflicts", 0, share=2, rule=BANKS),
        Limit("global_load_sectors", read_sectors, share=2, rule=READ),
        Limit("global_load_requests", read_requests, share=2, rule=WIDE),
        Limit("global_store_requests", store_requests, rule=STORES),
        Limit("barriers", barriers, share=2, rule=ONCE),
    ],
)

# The solution reached 0.62 of it on an H200, and 0.53 with one block on a multiprocessor.
SPEED = Speed(
    [tensor((4096, 4096)), tensor((4096, 4096))],
    baseline="a @ b",
    steps=((0.2, 0.25), (0.35, 0.5), (0.5, 1.0)),
)

PROFILE = Case("128 x 128 x 128", pair(128, 128, 128))
