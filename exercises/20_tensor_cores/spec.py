"""linear: x @ weight.T for float16 or bfloat16 matrices of any layout, with gradients, on tensor cores."""

from typing import Any

import torch

from grader.specification import Case, Efficiency, Gradient, Limit, Refusal, Speed, TensorSpec, drawn, tensor

ENTRY = "linear"
SECTOR = 32  # bytes: the least that global memory reads or writes
VECTOR = 16  # bytes that a lane moves with one instruction
WARP = 32
ROWS, COLUMNS = 128, 256  # of a block's tile of out
DEPTH = 32  # of a tile along k
FRAGMENT = 16  # in every direction
WARPS = 8  # of a block
WARP_SIZE = 64  # rows and columns of out that a warp computes

# Sums are kept in float32 and rounded once, to the 16 bits of the result: docs/reference/tolerances.md.
ROUNDED_ONCE = True


def reference(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x @ weight.T


def tiles(extent: int, size: int) -> int:
    return -(-extent // size)


def pair(rows: int, inputs: int, outputs: int, dtype: str = "float16", **more: Any) -> list[TensorSpec]:
    return [tensor((rows, inputs), dtype, **more), tensor((outputs, inputs), dtype, **more)]


def first_step(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    taken = torch.arange(x.shape[1]) % DEPTH < FRAGMENT
    return x[:, taken] @ weight[:, taken].T


def first_step_twice(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return 2 * first_step(x, weight)


def second_step_twice(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return 2 * (x @ weight.T - first_step(x, weight))


def last_step(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Of a product that is padded with zeros to whole tiles."""
    first = tiles(x.shape[1], DEPTH) * DEPTH - FRAGMENT
    return x[:, max(0, first) :] @ weight[:, max(0, first) :].T


def half_sums(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Rounded after every product of fragments."""
    sums = torch.zeros(x.shape[0], weight.shape[0], dtype=x.dtype)
    for left, right in zip(x.split(FRAGMENT, 1), weight.split(FRAGMENT, 1), strict=True):
        sums = (sums + left @ right.T).half().to(x.dtype)
    return sums


def in_fragments(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The product, padded to whole warps: warp, fragment and row, then warp, fragment and column."""
    down, across = tiles(x.shape[0], WARP_SIZE), tiles(weight.shape[0], WARP_SIZE)
    padded = x.new_zeros(down * WARP_SIZE, across * WARP_SIZE)
    padded[: x.shape[0], : weight.shape[0]] = x @ weight.T
    return padded.reshape(down, -1, FRAGMENT, across, WARP_SIZE // FRAGMENT, FRAGMENT)


def with_exchanged(x: torch.Tensor, weight: torch.Tensor, one: int, other: int) -> torch.Tensor:
    parts = in_fragments(x, weight)
    shape = parts.shape[0] * WARP_SIZE, parts.shape[3] * WARP_SIZE
    return parts.transpose(one, other).reshape(shape)[: x.shape[0], : weight.shape[0]]


def fragments_exchanged(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return with_exchanged(x, weight, 1, 4)


def fragments_transposed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return with_exchanged(x, weight, 2, 5)


def first_fragments(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """A block multiplies its first 16 rows by its first 16 columns, for all fragments and steps."""
    taken = torch.arange(tiles(x.shape[1], DEPTH) * DEPTH)
    taken = taken - taken % DEPTH // FRAGMENT * FRAGMENT
    rows, columns = (torch.arange(each.shape[0]) for each in (x, weight))
    rows, columns = (at - at % size // FRAGMENT * FRAGMENT for at, size in ((rows, ROWS), (columns, COLUMNS)))
    x, weight = (torch.nn.functional.pad(each, (0, -each.shape[1] % DEPTH)) for each in (x, weight))
    return x[rows][:, taken] @ weight[columns][:, taken].T


def without_warp_rows(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    rows = torch.arange(x.shape[0])
    return (x @ weight.T)[rows - rows % ROWS // WARP_SIZE * WARP_SIZE]


def without_warp_columns(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    columns = torch.arange(weight.shape[0])
    return (x @ weight.T)[:, columns - columns % COLUMNS // WARP_SIZE * WARP_SIZE]


CONFUSED = {
    "the product of the first 16 of every 32 steps along k": first_step,
    "twice the product of the first 16 of every 32 steps along k": first_step_twice,
    "twice the product of the last 16 of every 32 steps along k": second_step_twice,
    "the product of the last 16 steps along k alone, with earlier sums lost": last_step,
    "the product with its sums rounded to float16 after every fragment": half_sums,
    "the product with the fragments of each warp exchanged: row for column": fragments_exchanged,
    "the product with the first fragment of each tile in place of all": first_fragments,
    "the product with each fragment of 16 x 16 transposed on its own": fragments_transposed,
    "the product with the rows of a block's first warps in place of those of all": without_warp_rows,
    "the product with the columns of a block's first warps in place of those of all": without_warp_columns,
}

CASES = [
    # A product of ones says how many terms were added up, and how often.
    Case("one tile of ones, one round", pair(128, 32, 256, special="ones")),
    Case("one tile of ones, seven rounds", pair(128, 224, 256, special="ones")),
    Case("one tile, five rounds", pair(128, 160, 256)),
    Case("50 ones along k, a tile and a half", pair(128, 50, 256, special="ones")),
    Case("two tiles by two", pair(256, 32, 512)),
    Case("one element", pair(1, 1, 1)),
    Case("less than a vector in every direction", pair(3, 2, 3)),
    Case("less than a fragment", pair(8, 8, 8)),
    Case("less than a tile", pair(40, 24, 72)),
    Case("one more than a tile in every direction", pair(129, 33, 257)),
    Case("one vector more than a tile in every direction", pair(136, 40, 264)),
    Case("inputs are odd", pair(64, 37, 64)),
    Case("outputs are odd", pair(64, 32, 77)),
    Case("one row", pair(1, 56, 72)),
    Case("one output", pair(45, 72, 1)),
    Case("bfloat16", pair(70, 72, 90, "bfloat16")),
    Case("bfloat16, odd sizes", pair(37, 41, 35, "bfloat16")),
    Case("600 inputs of one sign", pair(20, 600, 24, low=0)),
    Case("600 inputs of one sign, bfloat16", pair(20, 600, 24, "bfloat16", low=0)),
    Case("sums beyond 2048 of ones", pair(16, 4100, 16, special="ones")),
    Case("beyond float16's range, bfloat16", pair(20, 40, 24, "bfloat16", special="large")),
    Case("factors beyond float16's range, odd sizes", pair(19, 37, 23, "bfloat16", low=7e4, high=9e4)),
    Case("factors beyond float16's range", pair(24, 40, 32, "bfloat16", low=7e4, high=9e4)),
    Case("products below 2^-25 whose sum is not", pair(20, 900, 24, low=1e-4, high=2e-4)),
    Case("x transposed", [tensor((48, 72), "float16", "transposed"), tensor((40, 72), "float16")]),
    Case("weight transposed", [tensor((48, 72), "float16"), tensor((40, 72), "float16", "transposed")]),
    Case("both transposed", pair(48, 72, 40, layout="transposed")),
    Case("both transposed, odd sizes, bfloat16", pair(47, 71, 39, "bfloat16", layout="transposed")),
    Case("rows that end inside a vector", pair(40, 38, 42, layout="truncated")),
    Case("every second column", pair(40, 40, 40, layout="sliced")),
    Case("begins one element into its storage", pair(40, 40, 40, layout="offset")),
    Case("an expanded weight", [tensor((6, 44), "float16"), tensor((40, 44), "float16", "expanded")]),
    Case("no inputs: zeros", pair(36, 0, 40)),
    Case("an empty result", pair(0, 4, 8)),
    Case("not-a-number goes through", [tensor((40, 36), "float16", special="nan"),
                                       tensor((40, 36), "float16")]),
    Case("zero times infinity", [tensor((40, 36), "float16", special="zeros"),
                                 tensor((40, 36), "float16", special="inf")]),
    Case("on a side stream", pair(64, 40, 40), stream="side"),
    Case("sizes of this verdict", sizes=drawn(
        pair, rows=(33, 500), inputs=(17, 200), outputs=(33, 600),
        where=lambda rows, inputs, outputs: (
            rows * outputs > 66_000 and rows * inputs * outputs < 5_000_000
        ),
    )),
]  # fmt: skip

REFUSALS = [
    Refusal("inner sizes differ", pair(3, 4, 5)[:1] + pair(3, 6, 5)[1:], mentions=["weight", "columns"]),
    Refusal("x is a vector", [tensor(8, "float16"), tensor((8, 8), "float16")], mentions=["x", "dimension"]),
    Refusal("float32", pair(4, 4, 4, "float32"), mentions=["x", "float"]),
    Refusal("weight is bfloat16", pair(4, 4, 4)[:1] + pair(4, 4, 4, "bfloat16")[1:],
            mentions=["weight", "BFloat16"]),
    Refusal("weight on the CPU", [tensor((4, 4), "float16"), tensor((4, 4), "float16", device="cpu")],
            mentions=["weight", "cpu"]),
]  # fmt: skip

GRADIENT = Gradient(
    cases=[
        Case("float16", pair(40, 24, 56)),
        Case("bfloat16, odd sizes", pair(37, 29, 43, "bfloat16")),
        Case("300 rows of one sign, float16", pair(300, 16, 24, low=0)),
        Case("weight transposed", [tensor((24, 40), "float16"), tensor((32, 40), "float16", "transposed")]),
        Case("sizes of this verdict", sizes=drawn(
            pair, rows=(33, 150), inputs=(33, 150), outputs=(33, 150),
            where=lambda rows, inputs, outputs: 60_000 < rows * inputs * outputs < 200_000,
        )),
        Case("on a side stream", pair(36, 16, 32), stream="side"),
    ],
    mode="cotangent",
    unrequested=True,
    twice=True,
)  # fmt: skip


def accumulation(x: torch.Tensor, weight: torch.Tensor) -> int:
    """out adds up a product for every input, grad_x one for every output, grad_weight one for every row."""
    return max(*x.shape, *weight.shape, 1)


def traffic(x: torch.Tensor, weight: torch.Tensor) -> int:
    """The least that any kernel can move: each operand once, the result once."""
    return (x.numel() + weight.numel() + x.shape[0] * weight.shape[0]) * x.element_size()


def flops(x: torch.Tensor, weight: torch.Tensor) -> int:
    return 2 * x.shape[0] * x.shape[1] * weight.shape[0]


def multiply_adds(x: torch.Tensor, weight: torch.Tensor) -> int:
    return x.shape[0] * x.shape[1] * weight.shape[0]


def read_by_product(rows: int, depth: int, columns: int) -> int:
    """Sectors of 16-bit elements: a row of tiles reads b once, a column of tiles reads a once."""
    return depth * (rows * tiles(columns, COLUMNS) + columns * tiles(rows, ROWS)) * 2 // SECTOR


def read_sectors(x: torch.Tensor, weight: torch.Tensor) -> int:
    return read_by_product(x.shape[0], x.shape[1], weight.shape[0])


def read_backward(x: torch.Tensor, weight: torch.Tensor) -> int:
    """grad_out @ weight, then grad_out.T @ x."""
    (rows, inputs), outputs = x.shape, weight.shape[0]
    return read_by_product(rows, outputs, inputs) + read_by_product(outputs, rows, inputs)


def read_requests(x: torch.Tensor, weight: torch.Tensor) -> int:
    """The same bytes, 16 for each lane."""
    return read_sectors(x, weight) * SECTOR // (VECTOR * WARP)


def written(x: torch.Tensor, weight: torch.Tensor) -> int:
    """The sectors of out."""
    return x.shape[0] * weight.shape[0] * 2 // SECTOR


def shared_requests(x: torch.Tensor, weight: torch.Tensor) -> int:
    """Four for each fragment, of which a warp loads 4 + 4 for 16 products; and four floats a lane of sums."""
    fragments = multiply_adds(x, weight) // FRAGMENT**3
    return fragments * (4 + 4) * 4 // 16 + x.shape[0] * weight.shape[0] // (4 * WARP)


def barriers(x: torch.Tensor, weight: torch.Tensor) -> int:
    """One in each round and one before the store, for each warp of each block."""
    blocks = tiles(x.shape[0], ROWS) * tiles(weight.shape[0], COLUMNS)
    return blocks * WARPS * (tiles(x.shape[1], DEPTH) + 1)


def result(x: torch.Tensor, weight: torch.Tensor) -> int:
    """Bytes of out."""
    return x.shape[0] * weight.shape[0] * 2


TENSOR_CORES = "Multiply fragments with mma_sync: every other multiply-add runs on the ordinary units."
REUSE = "Load each fragment once for a step along k, and multiply each of a by each of b."
BANKS = "Eight lines of a tile are read together: let padding put them into different banks."
READ = "A block copies each element of its tiles once; transposed operands are read as they are."
WIDE = "Copy 16 bytes at a time where the lines of an operand begin at multiples of 16 bytes."
WHOLE = "Let neighbouring lanes write neighbouring elements, four at a time where wide_out."
ORDER = "One barrier in a round is enough, and one before the tiles become strips."
NO_COPY = "A transposed operand is another layout of the fragment; sums stay on chip: nothing needs a copy."

EFFICIENCY = Efficiency(
    Case("256 x 128 times 128 x 512", pair(256, 128, 512)),
    [
        Limit("tensor_multiply_adds", least=multiply_adds, share=4, rule=TENSOR_CORES),
        Limit("global_load_sectors", read_sectors, share=2, rule=READ),
        Limit("global_load_requests", read_requests, share=2, rule=WIDE),
        Limit("bank_conflicts", 0, share=3, rule=BANKS),
        # An operand that is read across its lines needs more requests here, too: the cause comes first.
        Limit("shared_load_requests", shared_requests, share=2, rule=REUSE),
        Limit("global_store_sectors", written, share=2, rule=WHOLE),
        Limit("barriers", barriers, rule=ORDER),
        Limit("peak_bytes", result, rule=NO_COPY),
        Limit("global_load_sectors", read_backward, stage="backward", share=2, rule=READ),
        Limit("allocations", 2, stage="backward", rule=NO_COPY),
    ],
)

# 0.6 of cuBLAS is the aim of this exercise.
SPEED = Speed(
    [tensor((4096, 4096), "float16"), tensor((4096, 4096), "float16")],
    baseline="x @ weight.T",
    steps=((0.1, 0.25), (0.2, 0.5), (0.33, 1.0)),
)

PROFILE = Case("128 x 128 x 256", pair(128, 128, 256))
