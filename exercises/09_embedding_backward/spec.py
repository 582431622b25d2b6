"""embedding: the rows of weight (rows, columns) that indices name, NaN where there is none; its gradient."""

from typing import Any

import torch

from grader.specification import Case, Efficiency, Gradient, Limit, Refusal, Speed, drawn, tensor

ENTRY = "embedding"


def reference(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> torch.Tensor:
    """An index without a row finds a row of NaN, appended to weight. ``check`` changes no value."""
    rows, columns = weight.shape
    inside = (indices >= 0) & (indices < rows)
    padded = torch.cat([weight, weight.new_full((1, columns), float("nan"))])
    return padded[torch.where(inside, indices.long(), rows)]


def inputs(
    shape: int | tuple[int, ...],
    table: tuple[int, int],
    dtype: str = "float32",
    *,
    index: str = "int64",
    among: tuple[int, int] | None = None,
    **more: Any,
) -> list[Any]:
    """indices drawn from the rows ``among`` (both included; default all), and weight."""
    low, high = among or (0, table[0] - 1)
    return [tensor(shape, index, low=low, high=high, **more), tensor(table, dtype)]


CASES = [
    Case("32 indices, rows of 32", inputs(32, (20, 32)), launch_errors=True),
    Case(
        "one index, one row, one column", [tensor(1, "int64", low=0, high=0), tensor((1, 1), low=0.5, high=3)]
    ),
    Case("odd sizes", inputs(77, (13, 19))),
    Case("indices in two dimensions", inputs((5, 9), (11, 7))),
    Case("one index without a dimension", inputs((), (6, 40))),
    Case("int32 indices", inputs(70, (13, 19), index="int32")),
    Case("float64", inputs(50, (9, 31), "float64")),
    Case("one column", inputs(300, (40, 1))),
    Case("always the same index", inputs(200, (10, 12), among=(3, 3))),
    Case("few of many rows", inputs(6, (30_000, 3))),
    Case("no indices", [tensor(0, "int64"), tensor((8, 5))]),
    Case("no columns", inputs(4, (8, 0))),
    Case("every second index", inputs(40, (9, 14), layout="sliced")),
    Case("indices transposed", inputs((6, 11), (9, 14), layout="transposed")),
    Case("weight transposed", [tensor(40, "int64", low=0, high=8), tensor((9, 14), layout="transposed")]),
    Case("large values", [tensor(60, "int64", low=0, high=8), tensor((9, 30), special="large")]),
    Case("not-a-number goes through", [tensor(60, "int64", low=0, high=8), tensor((9, 30), special="nan")]),
    Case("an index past the last row is NaN", inputs(90, (10, 33), among=(5, 12))),
    Case("a negative index is NaN", inputs(90, (10, 33), among=(-6, 4))),
    Case("an index of 2^32 + 3 is NaN", inputs(7, (10, 5), among=(2**32 + 3, 2**32 + 3))),
    Case("no row at all", [tensor(9, "int64", low=-3, high=3), tensor((0, 5))]),
    Case("check=True, and all indices have a row", [*inputs(90, (10, 33)), True], waits=True),
    Case("on a side stream", inputs(60, (9, 30)), stream="side"),
    # More results than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case(
        "sizes of this verdict",
        sizes=drawn(
            lambda n, rows, columns: inputs(n, (rows, columns)),
            n=(30, 5000),
            rows=(1, 3000),
            columns=(9, 3000),
            where=lambda n, rows, columns: 1 << 16 < n * columns < 90_000 and rows * columns < 90_000,
        ),
    ),
]

RAISED = (RuntimeError, IndexError)
REFUSALS = [
    Refusal(
        "check=True, an index past the last row",
        [*inputs(60, (10, 33), among=(5, 12)), True],
        ["indices"],
        RAISED,
    ),
    Refusal(
        "check=True, a negative index", [*inputs(60, (10, 33), among=(-6, 4)), True], ["indices"], RAISED
    ),
    Refusal(
        "check=True, the only index is one too large",
        [*inputs(1, (4, 3), among=(4, 4)), True],
        ["indices"],
        RAISED,
    ),
    Refusal(
        "check=True, all 60 indices are too large: say how many",
        [*inputs(60, (10, 33), among=(10, 15)), True],
        ["indices", "60"],
        RAISED,
    ),
    Refusal("indices are float32", [tensor(4), tensor((5, 3))], mentions=["indices", "int"]),
    Refusal(
        "weight has one dimension",
        [tensor(4, "int64", low=0, high=3), tensor(5)],
        mentions=["weight", "dimension"],
    ),
    Refusal(
        "weight on the CPU",
        [tensor(4, "int64", low=0, high=3), tensor((5, 3), device="cpu")],
        mentions=["weight", "cpu"],
    ),
    Refusal(
        "indices on the CPU",
        [tensor(4, "int64", device="cpu", low=0, high=3), tensor((5, 3))],
        mentions=["indices", "CUDA"],
    ),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", inputs(12, (5, 4), "float64"), launch_errors=True),
        Case("float64, indices in two dimensions", inputs((3, 4), (5, 3), "float64")),
        Case("float64, int32 indices", inputs(9, (4, 3), "float64", index="int32")),
        Case("rows that no index names", inputs(40, (50, 9), among=(20, 29))),
        Case("many collisions", inputs(300, (4, 33))),
        Case("always the same index", inputs(500, (6, 20), among=(2, 2))),
        Case("few of many rows", inputs(6, (30_000, 3))),
        Case("indices without a row add nothing", inputs(90, (10, 17), among=(-4, 13))),
        Case("no indices", [tensor(0, "int64"), tensor((8, 5))]),
        Case(
            "sizes of this verdict",
            sizes=drawn(
                lambda n, rows, columns: inputs(n, (rows, columns)),
                n=(30, 2000),
                rows=(2, 300),
                columns=(2, 300),
                where=lambda n, rows, columns: rows * columns > 1024 and 1024 < n * columns < 4000,
            ),
        ),
        Case("on a side stream", inputs(60, (9, 30)), stream="side"),
        Case("deterministic", inputs(300, (4, 33)), deterministic=True),
        Case("deterministic, in many blocks", inputs(4000, (3, 8)), deterministic=True),
        Case("deterministic, always the same index", inputs(500, (6, 20), among=(2, 2)), deterministic=True),
        Case(
            "deterministic, in two dimensions, int32",
            inputs((20, 30), (7, 5), index="int32"),
            deterministic=True,
        ),
        Case(
            "deterministic, rows that no index names", inputs(90, (50, 9), among=(20, 24)), deterministic=True
        ),
        Case(
            "deterministic, indices without a row", inputs(90, (10, 17), among=(-4, 13)), deterministic=True
        ),
        Case("deterministic, float64", inputs(14, (5, 4), "float64"), deterministic=True),
        Case("deterministic, no indices", [tensor(0, "int64"), tensor((8, 5))], deterministic=True),
    ],
    # Two runs of the default backward may add in another order, each time with other roundings.
    nondet_tol=1e-12,
)


def accumulation(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> int:
    """A row of weight gets as many terms as there are indices, if all of them name it."""
    return max(1, indices.numel())


def traffic(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> int:
    """Read each index and one row for it, write that row: of weight, what is not named is not read."""
    return indices.numel() * (indices.element_size() + 2 * weight.shape[1] * weight.element_size())


def flops(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> int:
    return 0


def sectors(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> int:
    """One row for each index, whole sectors, and the index itself once for each warp; a tenth more."""
    row = weight.shape[1] * weight.element_size() // 32
    warps = -(-weight.shape[1] // 32)
    return 11 * indices.numel() * (row + warps) // 10


EFFICIENCY = Efficiency(
    Case("4096 indices, rows of 64", inputs(4096, (512, 64))),
    [
        Limit(
            "global_load_sectors", sectors, rule="Neighbouring threads read neighbouring columns of one row."
        ),
        Limit(
            "global_load_sectors",
            sectors,
            stage="backward",
            rule="Read grad_out once, in its own order; sorting is for deterministic mode.",
        ),
        Limit(
            "global_atomic_sectors",
            lambda indices, weight: indices.numel() * weight.shape[1] * weight.element_size() // 32,
            stage="backward",
            rule="Let the lanes of a warp update neighbouring columns of one row.",
        ),
    ],
)

# The solution reaches 0.53 on an H200: it divides 64-bit numbers for every element.
SPEED = Speed(
    [tensor(1 << 16, "int64", low=0, high=49_999), tensor((50_000, 256))],
    baseline="torch.nn.functional.embedding(indices, weight)",
    steps=((0.15, 0.25), (0.3, 0.5), (0.45, 1.0)),
)

PROFILE = Case("4096 indices among 16 rows of 64", inputs(4096, (16, 64)))
