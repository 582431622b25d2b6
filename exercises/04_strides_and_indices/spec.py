"""difference: |a - b| of two matrices with any strides, by two kernels; and questions about find.cu."""

from typing import Any

import torch

from grader.specification import (
    Case,
    Choice,
    Count,
    DrawnSizes,
    Efficiency,
    Gradient,
    Limit,
    Program,
    Refusal,
    Returned,
    drawn,
    tensor,
)

ENTRY = "difference"


def reference(a: torch.Tensor, b: torch.Tensor, by: str) -> torch.Tensor:
    return torch.maximum(a, b) - torch.minimum(a, b)  # uint8 never falls below 0 on the way


POINTERS, ACCESSORS = "pointers", "accessors"
BYTES: dict[str, Any] = {"dtype": "uint8", "low": 0, "high": 255}


def pair(shape: tuple[int, ...], a: str = "contiguous", b: str = "contiguous", **more: Any) -> list[Any]:
    """Two tensors of one shape with layouts of their own."""
    return [tensor(shape, layout=a, **more), tensor(shape, layout=b, **more)]


def both(name: str, args: list[Any], **more: Any) -> list[Case]:
    """The case for either kernel."""
    return [Case(f"{name}, by {by}", [*args, by], **more) for by in (POINTERS, ACCESSORS)]


def beyond_the_threads(by: str) -> DrawnSizes:
    """Sizes of this verdict: more elements than the 1024 x 256 threads of the largest grid."""
    return drawn(
        lambda rows, columns: [*pair((rows, columns)), by],
        rows=(130, 2000),
        columns=(130, 2000),
        where=lambda rows, columns: 1024 * 256 < rows * columns < 290_000,
    )


CASES = [
    *both("one row of a block", pair((1, 256)), launch_errors=True),
    *both("one element", pair((1, 1))),
    *both("odd sizes", pair((7, 45))),
    *both("one column", pair((301, 1))),
    *both("uint8, both ways round", pair((9, 70), **BYTES)),
    *both("float64", pair((17, 31), dtype="float64")),
    *both("a transposed", pair((30, 50), "transposed")),
    *both("b transposed", pair((30, 50), b="transposed")),
    *both("both transposed", pair((33, 9), "transposed", "transposed")),
    *both("every second column of a", pair((12, 40), "sliced")),
    *both("every second column of b, uint8", pair((12, 40), b="sliced", **BYTES)),
    *both("b is one row, expanded", pair((40, 35), b="expanded")),
    *both("a begins inside its storage", pair((20, 33), "offset", "sliced")),
    *[
        Case(f"more elements than threads, by {by}", sizes=beyond_the_threads(by))
        for by in (POINTERS, ACCESSORS)
    ],
    *both("more rows than a grid has blocks in y", pair((65535 * 4 + 3, 1), **BYTES)),
    *both("no rows", pair((0, 8))),
    *both("no columns", pair((5, 0), dtype="float64")),
    *both("large values", pair((20, 50), special="large")),
    *both("not-a-number goes through", pair((20, 50), special="nan")),
    *both("on a side stream", pair((40, 60), "transposed"), stream="side"),
    *both("rows of a are beyond offsets 2^31 and 2^32", pair((3, 500), "far", **BYTES)),
    *both("rows of b are beyond offsets 2^31 and 2^32", pair((3, 77), b="far", **BYTES)),
]


def refused(a: Any, b: Any) -> list[Any]:
    return [a, b, POINTERS]


REFUSALS = [
    Refusal("a is a vector", refused(tensor(4), tensor(4)), mentions=["a", "dimension"]),
    Refusal(
        "b has three dimensions", refused(tensor((2, 3)), tensor((2, 3, 1))), mentions=["b", "dimension"]
    ),
    Refusal("b is a row", refused(tensor((4, 6)), tensor((1, 6))), mentions=["b", "shape"]),
    Refusal("a is int32", refused(*pair((2, 3), dtype="int32")), mentions=["a", "float"]),
    Refusal("b is float64", refused(tensor((2, 3)), tensor((2, 3), "float64")), mentions=["b", "a"]),
    Refusal("b on the CPU", refused(tensor((2, 3)), tensor((2, 3), device="cpu")), mentions=["b", "cpu"]),
]

GRADIENT = Gradient(
    cases=[
        Case("float64", [*pair((7, 5), dtype="float64"), POINTERS], launch_errors=True),
        Case(
            "float64, a transposed",
            [*pair((4, 6), "transposed", dtype="float64"), ACCESSORS],
            launch_errors=True,
        ),
        Case("float32, every second column of b", [*pair((9, 40), b="sliced"), POINTERS]),
        Case("more elements than threads", sizes=beyond_the_threads(POINTERS)),
        Case("a and b are equal, so the slope is 0", [*pair((6, 7), special="zeros"), POINTERS]),
        Case("no rows", [*pair((0, 4), dtype="float64"), POINTERS]),
        Case("on a side stream", [*pair((9, 10)), ACCESSORS], stream="side"),
    ],
    unrequested=True,
    by_kernel=True,
)


def traffic(a: torch.Tensor, b: torch.Tensor, by: str) -> int:
    """Read a and b, write one result; a copy of a strided operand would read and write it once more."""
    return 3 * a.numel() * a.element_size()


def flops(a: torch.Tensor, b: torch.Tensor, by: str) -> int:
    return a.numel()


def one_write(a: torch.Tensor, b: torch.Tensor, by: str) -> int:
    """The sectors of the result, each once."""
    return a.numel() * a.element_size() // 32


NO_COPY = "Follow the strides of an operand instead of copying it."
ONE_RESULT = [Limit("allocations", 1, rule=NO_COPY), Limit("launches", 1)]
EFFICIENCY = [
    Efficiency(
        Case("every second column of a, b expanded", [*pair((128, 64), "sliced", "expanded"), POINTERS]),
        [
            *ONE_RESULT,
            Limit("global_store_sectors", one_write, rule="Each element has one thread that computes it."),
            # One for each of two gradients; grad_out has strides of 0.
            Limit("allocations", 2, stage="backward", share=2, rule=NO_COPY),
        ],
        cotangent="expanded",
    ),
    Efficiency(
        Case("a transposed, every second column of b", [*pair((128, 64), "transposed", "sliced"), ACCESSORS]),
        ONE_RESULT,
    ),
]

PROFILE = Case("a transposed, 256 x 256", [*pair((256, 256), "transposed"), POINTERS])

FIND = Program(
    "find.cu",
    {
        "rows": (9, 12),
        "columns": (9, 10, 11),
        "pitch": (13, 14),
        "thread": (5, 8, 11, 14),
        "n": (75, 90, 110),
        "blocks": (2, 3),
    },
)

QUESTIONS = [
    Returned(
        "element_read",
        "`take_part` runs with rows = {rows}, columns = {columns}, pitch = {pitch}. Which element of x does "
        "thread {thread} of block 1 read at line (A), in its first pass?",
        program=FIND,
        call=("take_part", "rows", "columns", "pitch", "thread"),
        think="Print i, row and column of that thread, and compute the index in line (A) from them.",
    ),
    Choice(
        "mistake",
        "Which line of take_part is wrong?",
        {
            "a": "the step: it has to be blockDim.x",
            "b": "row: it has to be i / pitch",
            "c": "column: it has to be i % columns",
            "d": "line (A): rows of out are as far apart as rows of x",
        },
        think="Element i of out belongs to which row and column of the part? Compare with what is printed.",
    ),
    Count(
        "elements_added",
        "`add_shares` runs with n = {n} and blocks = {blocks}. How many elements does line (B) read, all "
        "threads together?",
        program=FIND,
        call=("add_shares", "n", "blocks"),
        line=";  // (B)",
        metric="lanes",
        think="Print i in every pass, and count the lines. A correct kernel reads each of n elements once.",
    ),
    Choice(
        "past_the_end",
        "On the simulated GPU, growth ends with a finding. Which access does it name?",
        {
            "a": "a thread of the last block that has no element reads past the end: the guard is missing",
            "b": "the thread of the last element reads its right neighbour, which does not exist",
            "c": "the first thread reads the element before the beginning",
            "d": "two threads write the same element of out",
        },
        think="Run growth with find.py under python -m cusimt. The finding names an element, a block "
        "and a thread: compute i for that thread. Does it have an element of its own?",
    ),
    Choice(
        "short_accessor",
        "A uint8 view of shape (2, 500) has strides (2147484148, 1). What does packed_accessor32 do with it?",
        {
            "a": "it raises an error, because an offset does not fit into 32 bits",
            "b": "it keeps 64-bit strides for this tensor, because 32 bits do not suffice",
            "c": "it accepts it, because 1000 elements are few, and cuts the strides off to 32 bits",
            "d": "it copies the elements into dense memory first",
        },
        think="Which number does packed_accessor32 check, and which numbers does it convert?",
    ),
    Choice(
        "expanded_write",
        "A kernel with a thread for each element of y = x.expand(4, 5) adds 1 to its element, without "
        "atomics. What happens to x, of shape (1, 5)?",
        {
            "a": "each element grows by 4",
            "b": "each element grows by 1, 2, 3 or 4: four threads read and write it, in no fixed order",
            "c": "nothing: PyTorch copies y before the kernel writes",
            "d": "each element grows by exactly 1, because all four threads write the same number",
        },
        think="How many elements does y have in memory? Follow the threads of one column: each reads, adds "
        "and writes.",
    ),
]
