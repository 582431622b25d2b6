"""add_relu: relu(x + y) for dense x and y of one shape; and questions about three ways to copy floats."""

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

ENTRY = "add_relu"


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x + y)


def pair(shape: int | tuple[int, ...], dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    """x and y in the same form."""
    return [tensor(shape, dtype, **more), tensor(shape, dtype, **more)]


def beside(layout: Any, which: str, size: int, dtype: str = "float32") -> list[TensorSpec]:
    """x or y in `layout`, the other one as allocated."""
    return [tensor(size, dtype, layout=layout if which == name else "contiguous") for name in "xy"]


CASES = [
    Case("whole chunks", pair(4096), launch_errors=True),
    Case("one block, and a tail of three", pair(2047)),
    Case("one chunk and one element", pair(5)),
    Case("three elements, less than a chunk", pair(3)),
    Case("one element, less than a chunk", [tensor(1, low=0.5, high=3), tensor(1, low=0.5, high=3)]),
    Case("one chunk more than a block", pair(2052)),
    Case("several blocks, and a tail of one", pair(30_001)),
    Case("a matrix with odd sides", pair((37, 53))),
    Case("x begins one element into its storage", beside("offset", "x", 3000)),
    Case("y begins one element into its storage", beside("offset", "y", 3000)),
    Case("both begin one element in, and a tail", pair(3001, layout="offset")),
    Case("float16, whole chunks", pair(4096, "float16")),
    Case("float16, seven elements, less than a chunk", pair(7, "float16")),
    Case("float16, a tail of five", pair(4093, "float16")),
    Case("float16, several blocks", pair(20_011, "float16")),
    Case("float16, y begins one element in", beside("offset", "y", 3000, "float16")),
    Case("float16, large values", pair(1000, "float16", special="large")),
    Case("float64, two to a chunk", pair(1025, "float64")),
    Case("float64, x begins one element in", beside("offset", "x", 500, "float64")),
    Case("no elements", pair(0)),
    Case("large values", pair(2000, special="large")),
    Case("not-a-number goes through", pair(2000, special="nan")),
    Case("float16, not-a-number goes through", pair(2000, "float16", special="nan")),
    Case("on a side stream", pair(9000), stream="side"),
    Case("float16 on a side stream", pair(9000, "float16"), stream="side"),
    # More chunks of four floats than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case("sizes of this verdict", sizes=drawn(lambda n: pair(n), n=(262_145, 300_000))),
]

REFUSALS = [
    Refusal(
        "x is a transposed view", [tensor((4, 6), layout="transposed"), tensor((4, 6))], ["x", "contiguous"]
    ),
    Refusal("every second element of y", [tensor(8), tensor(8, layout="sliced")], ["y", "contiguous"]),
    Refusal("y has another shape", [tensor((4, 6)), tensor((6, 4))], ["y", "shape"]),
    Refusal("y is one row", [tensor((4, 6)), tensor(6)], ["y", "shape"]),
    Refusal("y is float16", [tensor(8), tensor(8, "float16")], ["y", "half"]),
    Refusal("x and y are int32", pair(8, "int32"), ["Int"], NotImplementedError),
    Refusal("y on the CPU", [tensor(8), tensor(8, device="cpu")], ["y", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", pair(37, "float64"), launch_errors=True),
        Case("sizes of this verdict", sizes=drawn(lambda n: pair(n), n=(4097, 12_000))),
        Case("float16, and a tail", pair(2053, "float16")),
        Case("float32, x begins one element in", beside("offset", "x", 1000)),
        Case("no elements", pair(0, "float64")),
        Case("on a side stream", pair(900), stream="side"),
    ],
    by_kernel=True,
)


def traffic(x: torch.Tensor, y: torch.Tensor) -> int:
    """Read x and y once, write the result once; the sum never exists in memory."""
    return 3 * x.numel() * x.element_size()


def flops(x: torch.Tensor, y: torch.Tensor) -> int:
    """An addition and a comparison for each element."""
    return 2 * x.numel()


CHUNK, WARP, SECTOR = 16, 32, 32  # bytes of a chunk, lanes of a warp, bytes of a sector
TAIL = 8  # requests for what is left after the last whole chunk: one load for each half is fine


def requests(x: torch.Tensor) -> int:
    """Of one tensor, with 16 bytes per lane."""
    return -(-x.numel() * x.element_size() // (CHUNK * WARP)) + TAIL


def loads(x: torch.Tensor, y: torch.Tensor) -> int:
    return 2 * requests(x)


def stores(x: torch.Tensor, y: torch.Tensor) -> int:
    return requests(x)


def sectors(x: torch.Tensor, y: torch.Tensor) -> int:
    """Of three tensors, and a hundredth more for the tail."""
    return 101 * 3 * x.numel() * x.element_size() // (100 * SECTOR)


FEWER = (
    "Move 16 bytes with each load and each store, a float4 of floats or of eight halves; and the tail once, "
    "not once for each block."
)
SAME = "Neighbouring lanes should take neighbouring chunks: no sector moves twice."

EFFICIENCY = [
    Efficiency(
        Case("40,003 floats", pair(40_003)),
        [
            Limit("global_load_requests", loads, share=2, rule=FEWER),
            Limit("global_store_requests", stores, rule=FEWER),
            Limit("global_sectors", sectors, rule=SAME),
            Limit("global_load_requests", loads, stage="backward", rule=FEWER),
        ],
    ),
    Efficiency(
        Case("40,005 halves", pair(40_005, "float16")),
        [
            Limit("global_load_requests", loads, share=2, rule=FEWER),
            Limit("global_store_requests", stores, rule=FEWER),
            Limit("global_sectors", sectors, rule=SAME),
        ],
    ),
]

# PyTorch's own addition moves the same bytes. On an H200 one element per thread reached 0.48 of its speed,
# eight per thread, loaded one by one, 0.87, and the solution 0.99.
SPEED = Speed(pair(1 << 26, "float16"), baseline="x + y", steps=((0.4, 0.25), (0.75, 0.5), (0.9, 1.0)))

PROFILE = Case("16,384 floats", pair(16_384))

COPIES = Program(
    "predict.cu",
    {
        "n": (1237, 1502, 1999, 2318, 2741, 3183),
        "offset": (1, 2, 3, 5, 6, 7),
        "step": (2, 3, 4, 5),
    },
)


def about(line: str, *call: str) -> dict[str, Any]:
    """The arguments that every question about a line of predict.cu shares."""
    return {"program": COPIES, "call": call, "line": f";  // ({line})"}


QUESTIONS = [
    Count(
        "scalar_requests",
        "`one_each` copies {n} floats. How many requests does line (A) make?",
        **about("A", "one_each", "n"),
        metric="requests",
        think="A warp makes a request if at least one of its lanes is active: how many warps have work?",
    ),
    Count(
        "scalar_sectors",
        "The same run: how many sectors do the requests of line (A) move, in all?",
        **about("A", "one_each", "n"),
        metric="sectors",
        think="The floats follow one another from the start of a sector on. How many fit in 32 bytes?",
    ),
    Count(
        "chunk_requests",
        "`four_each` copies {n} floats. How many requests does line (B) make?",
        **about("B", "four_each", "n"),
        metric="requests",
        think="How many whole float4 are there, and how many of them does a warp load at once?",
    ),
    Count(
        "chunk_sectors",
        "The same run: how many sectors do the requests of line (B) move, in all?",
        **about("B", "four_each", "n"),
        metric="sectors",
        think="A sector has room for two float4. Do the lanes of a warp take neighbouring ones?",
    ),
    Count(
        "tail_requests",
        "The same run: how many requests does line (C) make?",
        **about("C", "four_each", "n"),
        metric="requests",
        think="One thread runs the loop, so each round is a request with one active lane. How many rounds?",
    ),
    Count(
        "view_sectors",
        "`one_each` copies a view that begins {offset} floats into its storage, in whole warps. How many "
        "sectors does a request of line (A) move?",
        **about("A", "one_each_of_view", "offset"),
        metric="sectors_per_request",
        think="A warp reads 128 bytes in a row. Where in a sector do they begin, and where do they end?",
    ),
    Count(
        "piece_sectors",
        "`own_piece` runs with step = {step}. How many sectors does a request of line (D) move?",
        **about("D", "own_piece", "step"),
        metric="sectors_per_request",
        think="How many bytes apart are the float4 of neighbouring lanes? Can two of them share a sector?",
    ),
    Choice(
        "misaligned",
        "x = base[1:] is dense, float32. A kernel reads the first float4 at "
        "reinterpret_cast<const float4*>(x.data_ptr()). What happens on a GPU?",
        {
            "a": "the right values arrive; the request moves one more sector",
            "b": "the kernel ends with the error `misaligned address`, and later CUDA calls report it, too",
            "c": "the address is rounded down: the values are base[0] to base[3]",
            "d": "the compiler sees the cast and emits four loads of 4 bytes",
        },
        think="The cast promises the compiler an address that is a multiple of 16, and the compiler believes "
        "it. What is this address modulo 16, and what does the hardware demand?",
    ),
    Choice(
        "dense",
        "x = base[1:] again. Where does x.contiguous() begin?",
        {
            "a": "at a multiple of 16: contiguous() returns new memory",
            "b": "at a multiple of 256: the caching allocator rounds addresses up",
            "c": "where x begins: x is contiguous already, and contiguous() returns it as it is",
            "d": "at base[0], with a gap of one element",
        },
        think="contiguous() copies only a tensor whose elements do not follow one another. Do those of x?",
    ),
    Choice(
        "peeled",
        "x = base[1:] and out = empty_like(x), float32. A kernel copies the first three elements one by one, "
        "so that the address of x[3] is a multiple of 16, and the rest as float4. What about out[3]?",
        {
            "a": "its address is a multiple of 16, too: both tensors have the same shape",
            "b": "its address is 12 more than a multiple of 16, so now the stores are misaligned",
            "c": "stores need no alignment, loads do",
            "d": "the caching allocator places out so that it fits x",
        },
        think="Take the two addresses modulo 16, at element 0 and at element 3.",
    ),
    Choice(
        "same_bytes",
        "Each thread of a kernel loads four floats before it uses the first of them, and each of the four "
        "loads is coalesced. You replace them by one coalesced load of a float4. What changes?",
        {
            "a": "a quarter of the requests; sectors and bytes in flight stay the same",
            "b": "a quarter of the requests and a quarter of the sectors",
            "c": "the same requests, but each of them moves four times the bytes",
            "d": "four times the bytes are in flight",
        },
        think="Count for one warp, until the first use: instructions, bytes requested, and sectors moved.",
    ),
]
