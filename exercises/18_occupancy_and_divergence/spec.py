"""Five operations whose kernels leave hardware idle, judged one by one; questions about lanes and blocks."""

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
    Returned,
    TensorSpec,
    drawn,
    tensor,
)

WARP = 32
BLOCK = 256  # threads, of every kernel that does not choose its own
SECTOR = 32  # bytes
WINDOW = 9  # elements: four on either side
TERMS = 6  # of a polynomial


# ---- the operations ---------------------------------------------------------------------------------


def row_sums(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    inside = torch.arange(x.shape[1]) < lengths[:, None]
    return torch.where(inside, x, torch.zeros_like(x)).sum(1)


def rotate(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    left, right = x[..., 0::2], x[..., 1::2]
    sine, cosine = torch.sin(angle), torch.cos(angle)
    return torch.stack((left * cosine - right * sine, left * sine + right * cosine), -1).flatten(-2)


def smooth(x: torch.Tensor) -> torch.Tensor:
    around = torch.nn.functional.pad(x, (WINDOW // 2, WINDOW // 2))
    return around.unfold(0, WINDOW, 1).mean(1) if x.numel() else x.clone()


def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    return factor * x


def polynomial(x: torch.Tensor, coefficients: torch.Tensor) -> torch.Tensor:
    result = torch.zeros_like(x)
    for coefficient in coefficients.flip(0):
        result = result * x + coefficient
    return result


# ---- their cases ------------------------------------------------------------------------------------


def ragged(rows: int, width: int, dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    """A matrix, and a length from 0 to its width for each row."""
    return [tensor((rows, width), dtype, **more), tensor(rows, "int64", low=0, high=width)]


def points(rows: int, pairs: int, dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    """Pairs and their angles."""
    return [tensor((rows, 2 * pairs), dtype, **more), tensor((rows, pairs), dtype, low=-3, high=3)]


def terms(shape: int | tuple[int, ...], dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    """Elements, and the coefficients of a polynomial."""
    return [tensor(shape, dtype, **more), tensor(TERMS, dtype)]


ROW_SUMS = [
    Case("odd sizes", ragged(37, 71)),
    Case("one element", [tensor((1, 1)), tensor(1, "int64", low=1, high=1)]),
    Case("a single block", ragged(3, 71)),
    Case("every row is empty", [tensor((5, 9)), tensor(5, "int64", low=0, high=0)]),
    Case("every row is full", [tensor((70, 64)), tensor(70, "int64", low=64, high=64)]),
    Case("no rows", ragged(0, 7)),
    Case("no columns", ragged(3, 0)),
    Case("float64, rows longer than a warp", ragged(9, 300, "float64")),
    Case("transposed", ragged(33, 40, layout="transposed")),
    Case("not-a-number beyond the end does not count", [tensor((6, 40), special="nan"),
                                                        tensor(6, "int64", low=0, high=0)]),
    Case("sizes of this verdict", stream="side", sizes=drawn(
        ragged, rows=(1025, 4000), width=(17, 200),
        where=lambda rows, width: 65_536 < rows * width < 90_000)),
]  # fmt: skip
ROTATE = [
    Case("odd sizes", points(5, 67)),
    Case("one pair", points(1, 1)),
    Case("no pairs", points(3, 0)),
    Case("float64", points(9, 31, "float64")),
    Case("every second column", points(12, 30, layout="sliced")),
    Case("large values", points(4, 30, special="large")),
    Case("sizes of this verdict", stream="side", sizes=drawn(
        points, rows=(5, 3000), pairs=(5, 3000), where=lambda rows, pairs: 33_000 < rows * pairs < 45_000)),
]  # fmt: skip
SMOOTH = [
    Case("a partial last block", [tensor(1000)]),
    Case("one element", [tensor(1)]),
    Case("less than a window", [tensor(3)]),
    Case("one block", [tensor(128)]),
    Case("one more than a block, float64", [tensor(129, "float64")]),
    Case("no elements", [tensor(0)]),
    Case("every second element", [tensor(500, layout="sliced")]),
    Case("large values", [tensor(300, special="large")]),
    Case("sizes of this verdict", stream="side", sizes=drawn(
        lambda n: [tensor(n)], n=(65_537, 80_000))),
]  # fmt: skip
SCALE = [
    Case("a partial last block", [tensor((5, 67)), 0.5]),
    Case("one element", [tensor(1), -2.0]),
    Case("no elements", [tensor((3, 0)), 2.0]),
    Case("float64, transposed", [tensor((12, 30), "float64", layout="transposed"), 0.3]),
    Case("sizes of this verdict", stream="side", sizes=drawn(
        lambda n: [tensor(n), 0.7], n=(65_537, 80_000))),
]  # fmt: skip
POLYNOMIAL = [
    Case("a partial last block", terms((5, 667))),
    Case("one element", terms(1)),
    Case("no elements", terms((0, 4))),
    Case("float64", terms(2000, "float64")),
    Case("transposed", terms((30, 50), layout="transposed")),
    Case("no terms: zeros", [tensor(9), tensor(0)]),
    Case("sizes of this verdict", stream="side", sizes=drawn(
        lambda n: terms(n), n=(65_537, 80_000))),
]  # fmt: skip

GRADIENT = Gradient(
    cases=[
        Case("float64", points(3, 7, "float64")),
        Case("sizes of this verdict", sizes=drawn(
            points, rows=(5, 300), pairs=(5, 300), where=lambda rows, pairs: 600 < rows * pairs < 1500)),
        Case("on a side stream", points(4, 40), stream="side"),
    ],
    inputs=("x",),
)  # fmt: skip

REFUSALS = [
    Refusal("a vector", [tensor(4), tensor(4, "int64", low=0, high=0)], ["x", "dimension"]),
    Refusal("lengths of another size", [tensor((4, 3)), tensor(3, "int64", low=0, high=0)], ["lengths"]),
    Refusal("lengths are float32", [tensor((4, 3)), tensor(4)], ["lengths", "int64"]),
    Refusal("x is int32", [tensor((4, 3), "int32"), tensor(4, "int64", low=0, high=0)], ["Int"],
            NotImplementedError),
]  # fmt: skip


# ---- what they may cost -----------------------------------------------------------------------------


def traffic(x: torch.Tensor, lengths: torch.Tensor) -> int:
    """Of row_sums: every element that counts once, the lengths, the sums."""
    return int(lengths.sum()) * x.element_size() + lengths.numel() * (8 + x.element_size())


def flops(x: torch.Tensor, lengths: torch.Tensor) -> int:
    """An addition for every element that counts."""
    return int(lengths.sum())


def accumulation(x: torch.Tensor, lengths: torch.Tensor) -> int:
    return max(x.shape[1], 1)


def idle_in_row_sums(x: torch.Tensor, lengths: torch.Tensor) -> int:
    """Of a warp for each row: the lanes of its last request that are past the end of the row."""
    return int((-lengths % WARP).sum())


def sectors_of_row_sums(x: torch.Tensor, lengths: torch.Tensor) -> int:
    """Of rows that begin with a whole sector; and eight bytes for each length, a sector for each warp."""
    sectors = -(-lengths * x.element_size() // SECTOR)
    return int(sectors.sum()) + lengths.numel()


ONE_ROW = (
    "All lanes of a warp should have work in every request: let them share a row, and take the next one "
    "together."
)
ONE_PATH = (
    "Give every lane of a warp the same work: one thread for a pair, both of whose elements need the same "
    "numbers."
)
ROOM = "Ask for the shared memory that a block uses: a multiprocessor has 228 KiB for all of its blocks."
SLOTS = (
    "A multiprocessor has 32 slots for blocks and room for 64 warps: blocks of one warp use up the slots "
    "first, and blocks whose warps do not divide 64 leave a remainder."
)
WHOLE = "A block has whole warps: make its size a multiple of 32."
FEWER = "The second number of __launch_bounds__ is the number of blocks that a multiprocessor should hold."
SPILLS = "Values that have no register go to memory and back. Ask for fewer blocks."

ROWS = Efficiency(
    Case("200 rows of up to 160", ragged(200, 160)),
    [
        Limit("global_load_idle_lanes", idle_in_row_sums, rule=ONE_ROW),
        Limit("global_load_sectors", sectors_of_row_sums, rule=ONE_ROW),
    ],
)
PAIRS = Efficiency(
    Case("64 rows of 64 pairs", points(64, 64)),
    [
        Limit("global_load_idle_lanes", 0, rule=ONE_PATH),
        Limit("global_store_idle_lanes", 0, rule=ONE_PATH),
        Limit("global_load_idle_lanes", 0, stage="backward", rule=ONE_PATH),
    ],
)


def room(itemsize: int) -> list[Limit]:
    """No empty slot, and memory for the elements of 128 threads and 4 more on either side, no more."""
    return [
        Limit("empty_warp_slots", 0, rule=ROOM),
        Limit("shared_bytes", 1.5 * (128 + 2 * 4) * itemsize, rule=ROOM),
    ]


WINDOWS = [
    Efficiency(Case("4,096 floats", [tensor(4096)]), room(4)),
    Efficiency(Case("4,096 doubles", [tensor(4096, "float64")]), room(8)),
]
FACTORS = Efficiency(
    Case("8,192 floats", [tensor(8192), 0.5]),
    [Limit("empty_warp_slots", 0, rule=SLOTS), Limit("global_load_idle_lanes", 0, rule=WHOLE)],
)
POWERS = Efficiency(
    Case("12,288 floats, six terms", terms(12_288)),
    [
        Limit("empty_warp_slots", 0, rule=SLOTS),
        Limit("spilled_bytes", 0, rule=SPILLS),
        Limit("registers", 40, rule=FEWER),
    ],
)

PROFILE = Case("256 rows of up to 160", ragged(256, 160))


def last_part(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Of row_sums: what lane 31 adds up, every 32nd element from the 32nd on."""
    return row_sums(x[:, WARP - 1 :: WARP], lengths // WARP)


def packed(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Sums of rows that begin at row * length."""
    columns = torch.arange(x.shape[1])
    starts = (torch.arange(len(x)) * lengths)[:, None]
    return row_sums(x.flatten()[(starts + columns).clamp(max=x.numel() - 1)], lengths)


def late(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Sums that leave out the elements before 32 times the number of the warp in its block."""
    warps = torch.arange(len(x)) % (BLOCK // WARP)
    return row_sums(x * (torch.arange(x.shape[1]) >= WARP * warps[:, None]), lengths)


CONFUSED_SUMS = {
    "the sum of the whole row, past its length": lambda x, lengths: x.sum(1),
    "lane 0's part of the sum, every 32nd element": lambda x, lengths: row_sums(
        x[:, ::WARP], -(-lengths // WARP)
    ),
    "a sum in which every lane goes on by one element, not by 32": lambda x, lengths: row_sums(
        x * (torch.arange(x.shape[1], dtype=x.dtype) + 1).clamp(max=WARP), lengths
    ),
    "32 times lane 0's part of the sum: all lanes begin at the first element, or lane 0 adds its own value "
    "at every step": lambda x, lengths: WARP * row_sums(x[:, ::WARP], -(-lengths // WARP)),
    "a sum with one element too many, the one behind the length": lambda x, lengths: row_sums(
        torch.cat((x, x.roll(-1, 0)[:, :1]), 1), lengths + 1
    ),
    "the last lane's part of the sum alone: what a shuffle returns has to be added": last_part,
    "32 times the last lane's part: after shuffling down, lane 0 has the sum of all lanes, not "
    "lane 31": lambda x, lengths: WARP * last_part(x, lengths),
    "elements of another row: a row begins after width elements, however few of them count": packed,
    "sums whose loop begins at threadIdx.x, not at the lane: the second warp of a block already skips 32 "
    "elements": late,
    "a sum in which every lane goes on by the threads of the block, not by those that share the "
    "row": lambda x, lengths: row_sums(x * (torch.arange(x.shape[1]) % BLOCK < WARP), lengths),
    "twice the first 32 of every 64 elements: a shuffle does not leave its warp, so at most 32 threads can "
    "share a row": lambda x, lengths: 2 * row_sums(x * (torch.arange(x.shape[1]) % 64 < WARP), lengths),
}


def reflect(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    left, right = x[..., 0::2], x[..., 1::2]
    sine, cosine = torch.sin(angle), torch.cos(angle)
    return torch.stack((left * cosine + right * sine, left * sine + right * cosine), -1).flatten(-2)


def overwritten(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    first = rotate(x, angle)[..., 0::2]
    second = first * torch.sin(angle) + x[..., 1::2] * torch.cos(angle)
    return torch.stack((first, second), -1).flatten(-2)


CONFUSED_TURNS = {
    "both sines with the same sign, which is no rotation": reflect,
    "a rotation of the two elements of a pair, exchanged": lambda x, angle: rotate(
        x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2), angle
    ),
    "a second element computed from the first result: keep both elements of the pair before you "
    "write": overwritten,
    "a rotation by the negative angle": lambda x, angle: rotate(x, -angle),
    "sine and cosine exchanged in the first element of each pair": lambda x, angle: torch.stack(
        (x[..., 0::2] * torch.sin(angle) - x[..., 1::2] * torch.cos(angle), rotate(x, angle)[..., 1::2]), -1
    ).flatten(-2),
}

PARTS = [
    Part("row_sums", "a sum of every row", entry="row_sums", reference=row_sums, cases=ROW_SUMS,
         refusals=REFUSALS, accumulation=accumulation, efficiency=ROWS, sections=("row_threads", "row_sums"),
         confused=CONFUSED_SUMS, points=16, main=True),
    Part("rotate", "pairs that are rotated", entry="rotate", reference=rotate, cases=ROTATE,
         gradient=GRADIENT, efficiency=PAIRS, confused=CONFUSED_TURNS,
         sections=("rotate_elements", "rotate"), points=14),
    Part("smooth", "the mean of a window", entry="smooth", reference=smooth, cases=SMOOTH,
         accumulation=lambda x: WINDOW, efficiency=WINDOWS, points=10),
    Part("scale", "a factor for every element", entry="scale", reference=scale, cases=SCALE,
         efficiency=FACTORS, points=10),
    Part("polynomial", "a polynomial of every element", entry="polynomial", reference=polynomial,
         cases=POLYNOMIAL, accumulation=lambda x, coefficients: TERMS, efficiency=POWERS, points=10),
]  # fmt: skip


# ---- what to predict --------------------------------------------------------------------------------

IDLE = Program(
    "predict.cu",
    {
        "step": (2, 4, 8, 16),
        "every": (2, 4, 8),
        "rounds": (4, 8, 16),
        "n": (300, 333, 420, 450, 550, 700),
        "threads": (48, 64, 96, 160, 320, 416, 704, 768),
        "kibibytes": (18, 24, 30, 40, 50, 60),
    },
)

QUESTIONS = [
    Count(
        "lane_count",
        "`by_lane` runs with step = {step}, in 2 blocks of 256 threads. How many lanes of a request at line "
        "(A) are active, on average? One decimal.",
        program=IDLE,
        call=("by_lane", "step"),
        line=";  // (A)",
        metric="lanes_per_request",
        digits=1,
        think="Which lanes of a warp pass the condition? Is it the same number in every warp?",
    ),
    Count(
        "lane_requests",
        "The same run: how many requests does line (A) make?",
        program=IDLE,
        call=("by_lane", "step"),
        line=";  // (A)",
        metric="requests",
        think="A warp makes a request if at least one of its lanes is active. In how many warps is that so?",
    ),
    Count(
        "warp_requests",
        "`by_warp` runs with step = {every}, in 2 blocks of 256 threads. How many requests does line (B) "
        "make?",
        program=IDLE,
        call=("by_warp", "every"),
        line=";  // (B)",
        metric="requests",
        think="The condition has the same value in all lanes of a warp. For how many warps is it true?",
    ),
    Count(
        "round_requests",
        "`by_rounds` runs with step = {rounds}, in 2 blocks of 256 threads. How many requests does line (C) "
        "make?",
        program=IDLE,
        call=("by_rounds", "rounds"),
        line=";  // (C)",
        metric="requests",
        think="A warp is in the loop until its last lane has left. How many rounds does lane 31 make?",
    ),
    Count(
        "round_lanes",
        "The same run: how many lanes of a request at line (C) are active, on average? One decimal.",
        program=IDLE,
        call=("by_rounds", "rounds"),
        line=";  // (C)",
        metric="lanes_per_request",
        digits=1,
        think="Add up the lanes that are still in the loop in each round, and divide by the rounds.",
    ),
    Count(
        "guard_lanes",
        "`guarded` runs for n = {n}. How many lanes are active at line (D), added up over all requests?",
        program=IDLE,
        call=("guarded", "n"),
        line=";  // (D)",
        metric="lanes",
        think="A lane is active where its thread passes the guard. How many threads do?",
    ),
    Returned(
        "held_warps",
        "A kernel needs few registers and no shared memory. Its blocks have {threads} threads. How many "
        "*warps* does a multiprocessor hold?",
        program=IDLE,
        call=("warps_held", "threads"),
        think="A block has whole warps, and comes whole or not at all. There is room for 64 warps, and for "
        "32 blocks.",
    ),
    Returned(
        "shared_blocks",
        "The same kernel in blocks of 256 threads, each with {kibibytes} KiB of shared memory. How many "
        "*blocks* does a multiprocessor hold?",
        program=IDLE,
        call=("blocks_held", "kibibytes"),
        think="There are 228 KiB in all, and the system takes 1 KiB more for every block. But does shared "
        "memory run out first?",
    ),
    Choice(
        "register_blocks",
        "ptxas says of a kernel: 70 registers. Its blocks have 128 threads, and no shared memory. A warp "
        "gets registers in units of 256. What limits the blocks of a multiprocessor, with its 65,536 "
        "registers?",
        {
            "a": "warps: 16 blocks fit, all 64 warps",
            "b": "registers: 7 blocks fit, 28 warps",
            "c": "registers: 1 block fits, since 70 * 128 is more than 8,000",
            "d": "nothing: registers that do not fit are spilled, and all blocks run",
        },
        think="Round 70 * 32 up to a multiple of 256: that is what one warp takes. How many warps are that, "
        "and how many whole blocks?",
    ),
    Choice(
        "cause_row_sums",
        "Before the repair of row_sums, most lanes were idle most of the time, because",
        {
            "a": "the rows begin at addresses that no two lanes share",
            "b": "the lanes of a warp had rows of different lengths, and a loop lasts as long as the longest",
            "c": "a row of length 0 makes its thread return before the others",
        },
        think="Follow one warp through the loop: when is a lane idle, and what is it waiting for?",
        part="row_sums",
    ),
    Choice(
        "cause_rotate",
        "Before the repair of rotate, 16 of 32 lanes took part in each request, because",
        {
            "a": "neighbouring lanes took different branches, which a warp executes one after the other",
            "b": "the sine and the cosine of a pair were computed twice",
            "c": "the blocks had half as many threads as elements",
        },
        think="Which lanes have an even i? Can a warp be in both branches at the same time?",
        part="rotate",
    ),
    Choice(
        "cause_smooth",
        "Before the repair of smooth, a multiprocessor held 4 blocks, because",
        {
            "a": "a block of 128 threads is too small for a multiprocessor",
            "b": "a kernel with a barrier runs on a quarter of the multiprocessor",
            "c": "each block took 48 KiB of shared memory, whether it used them or not",
        },
        think="Four resources limit the blocks of a multiprocessor. Compute the limit of each.",
        part="smooth",
    ),
    Choice(
        "cause_scale",
        "Before the repair of scale, a multiprocessor held 32 of 64 warps, because",
        {
            "a": "it holds at most 32 blocks, and each had one warp",
            "b": "it holds at most 32 warps of one kernel",
            "c": "32 threads take as many registers as 64",
        },
        think="Four resources limit the blocks of a multiprocessor. Compute the limit of each.",
        part="scale",
    ),
    Choice(
        "cause_polynomial",
        "The launch of polynomial was refused, because",
        {
            "a": "a multiprocessor has too few registers for 256 threads that need 44 each",
            "b": "the kernel was compiled for blocks of up to 128 threads, and the launch has 256",
            "c": "__launch_bounds__ needs both of its numbers",
        },
        think="What does __launch_bounds__(128) promise the compiler, and who keeps the promise?",
        part="polynomial",
    ),
]
