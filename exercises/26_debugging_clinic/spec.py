"""Twelve operations with a mistake each, judged one by one, and questions about causes and tools."""

from typing import Any

import torch

from grader.specification import Case, Choice, DrawnSizes, Gradient, Part, Refusal, drawn, tensor


def count_above(x: torch.Tensor, level: float) -> torch.Tensor:
    return (x > level).sum().int()


def polynomial(x: torch.Tensor, coefficients: list[float]) -> torch.Tensor:
    value = torch.zeros_like(x)
    for each in reversed(coefficients):
        value = value * x + each
    return value


def clip(x: torch.Tensor, limit: torch.Tensor) -> torch.Tensor:
    return torch.where(x > limit, limit, x)


def row_sums(x: torch.Tensor) -> torch.Tensor:
    return x.sum(1)


def negative(x: torch.Tensor) -> torch.Tensor:
    return 255 - x


def blocks(x: torch.Tensor, beyond: float) -> torch.Tensor:
    """x by rows of 256; `beyond` fills the last one."""
    return torch.nn.functional.pad(x, (0, -len(x) % 256), value=beyond).view(-1, 256)


def block_sums(x: torch.Tensor) -> torch.Tensor:
    return blocks(x, 0).sum(1)


def block_maxima(x: torch.Tensor) -> torch.Tensor:
    return blocks(x, -torch.inf).amax(1)


def byte_counts(x: torch.Tensor) -> torch.Tensor:
    return torch.bincount(x.long(), minlength=256).int()


def scale_rows(x: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    return factors[:, None] * x


def normalise(x: torch.Tensor) -> torch.Tensor:
    return x / x.abs().amax() if x.numel() else x.clone()


def mean_of_three(x: torch.Tensor) -> torch.Tensor:
    return (torch.cat((x[:1], x[:-1])) + x + torch.cat((x[1:], x[-1:]))) / 3


def smooth(x: torch.Tensor) -> torch.Tensor:
    return mean_of_three(mean_of_three(x))


def silu_twice(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(torch.nn.functional.silu(x))


def with_gate(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """silu(x), with `gate` in its gradient."""
    slope = (gate * (1 + x * (1 - gate))).detach()
    return torch.nn.functional.silu(x).detach() + slope * (x - x.detach())


def with_the_later_gate(x: torch.Tensor) -> torch.Tensor:
    """silu(silu(x)), whose inner layer has the outer gate in its gradient."""
    gate = torch.sigmoid(torch.nn.functional.silu(x))
    return torch.nn.functional.silu(with_gate(x, gate))


def with_x_for_the_gate(x: torch.Tensor) -> torch.Tensor:
    inner = with_gate(x, x)
    return with_gate(inner, inner)


def with_out_for_the_gate(x: torch.Tensor) -> torch.Tensor:
    inner = with_gate(x, torch.nn.functional.silu(x))
    return with_gate(inner, torch.nn.functional.silu(inner))


def vectors(*more: Any, least: int = 1500, most: int = 3000, dtype: str = "float32") -> DrawnSizes:
    """A vector of several blocks, and the other arguments."""
    bounds = {"low": 0, "high": 255} if dtype == "uint8" else {}
    return drawn(lambda n: [tensor(n, dtype, **bounds), *more], n=(least, most))


def on_a_vector(*more: Any, dtype: str = "float32", sizes: tuple[int, ...] = (0, 1, 100, 1000)) -> list[Case]:
    """Fixed and drawn sizes, and the caller's stream."""
    bounds = {"low": 0, "high": 255} if dtype == "uint8" else {}
    return [
        *(Case(f"size {n}", [tensor(n, dtype, **bounds), *more]) for n in sizes),
        Case("on a side stream", sizes=vectors(*more, dtype=dtype), stream="side"),
    ]


PARTS = [
    Part(
        "count_above",
        "counts what is above a level",
        entry="count_above",
        reference=count_above,
        cases=[
            Case("all above", [tensor(1000, special="ones"), 0.5]),
            # Above the level, like some elements of every case: a kernel may leave alone what it adds 0 to.
            Case("one element", [tensor(1, low=0.5, high=1), 0.25]),
            *on_a_vector(0.25, sizes=(256, 999)),
        ],
    ),
    Part(
        "polynomial",
        "a polynomial of a few coefficients",
        entry="polynomial",
        reference=polynomial,
        cases=[
            *on_a_vector([0.5, -1.0, 2.0]),
            Case("no coefficients", [tensor(300), []]),
            Case("eight coefficients", [tensor(300), [1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0]]),
        ],
        refusals=[Refusal("nine coefficients", [tensor(8), [1.0] * 9], mentions=["coefficients"])],
    ),
    Part(
        "clip",
        "a limit that is on the device",
        entry="clip",
        reference=clip,
        cases=on_a_vector(tensor(1)),
        refusals=[Refusal("limit on the CPU", [tensor(8), tensor(1, device="cpu")], mentions=["limit"])],
    ),
    Part(
        "row_sums",
        "sums of rows with any strides",
        entry="row_sums",
        reference=row_sums,
        accumulation=lambda x: max(1, x.shape[1]),
        cases=[
            Case("row-major", [tensor((9, 31))]),
            Case("transposed", [tensor((40, 12), layout="transposed")]),
            Case("every second column", [tensor((13, 17), layout="sliced")]),
            Case("no rows", [tensor((0, 5))]),
            Case("no columns", [tensor((5, 0))]),
            Case(
                "on a side stream",
                sizes=drawn(
                    lambda rows, columns: [tensor((rows, columns), layout="transposed")],
                    rows=(257, 600),
                    columns=(2, 20),
                ),
                stream="side",
            ),
        ],
    ),
    Part(
        "negative",
        "a part of a large image",
        entry="negative",
        reference=negative,
        cases=[
            Case(
                "rows beyond offset 2^31 and 2^32",
                [tensor((3, 300), "uint8", layout="far", low=0, high=255)],
            ),
            Case("transposed", [tensor((40, 12), "uint8", layout="transposed", low=0, high=255)]),
            Case(
                "on a side stream",
                sizes=drawn(
                    lambda rows, columns: [tensor((rows, columns), "uint8", low=0, high=255)],
                    rows=(2, 40),
                    columns=(257, 600),
                ),
                stream="side",
            ),
        ],
    ),
    Part(
        "block_sums",
        "a sum for every block",
        entry="block_sums",
        reference=block_sums,
        accumulation=lambda x: min(256, max(1, x.numel())),
        cases=[
            *on_a_vector(sizes=(0, 1, 100, 700)),
            Case("the same bits in every run", [tensor(500)], deterministic=True),
        ],
    ),
    Part(
        "block_maxima",
        "a maximum for every block",
        entry="block_maxima",
        reference=block_maxima,
        cases=[
            Case("far below zero", [tensor(300, low=-3e38, high=-1e38)]),
            *on_a_vector(sizes=(0, 1, 100, 700)),
            Case("-inf alone in the last block", [tensor(513, special="masked")]),
        ],
    ),
    Part(
        "byte_counts",
        "how often each value occurs",
        entry="byte_counts",
        reference=byte_counts,
        cases=on_a_vector(dtype="uint8", sizes=(1, 100, 1000)),
    ),
    Part(
        "scale_rows",
        "rows of any width, a block for each",
        sections=("row_launch", "row_check"),
        entry="scale_rows",
        reference=scale_rows,
        cases=[
            Case("narrow rows", [tensor((5, 7)), tensor(5)]),
            Case("rows of 1025 columns", [tensor((2, 1025)), tensor(2)], launch_errors=True),
            Case("rows of 2048 columns", [tensor((2, 2048)), tensor(2)]),
            Case("no columns", [tensor((3, 0)), tensor(3)]),
            Case("no rows", [tensor((0, 4)), tensor(0)]),
            Case(
                "on a side stream",
                sizes=drawn(
                    lambda rows, columns: [tensor((rows, columns)), tensor(rows)],
                    rows=(2, 9),
                    columns=(1026, 2500),
                ),
                stream="side",
            ),
        ],
        refusals=[Refusal("a factor for each column", [tensor((2, 5)), tensor(5)], mentions=["factors"])],
    ),
    Part(
        "normalise",
        "two kernels in a row",
        entry="normalise",
        reference=normalise,
        cases=on_a_vector(),
    ),
    Part(
        "smooth",
        "the result of one kernel is read by the next",
        entry="smooth",
        reference=smooth,
        cases=on_a_vector(),
        confused={"one pass of the mean": mean_of_three},
    ),
    Part(
        "silu_twice",
        "the gradient through two layers",
        sections=("silu_forward",),
        entry="silu_twice",
        reference=silu_twice,
        cases=on_a_vector(),
        confused={
            "two layers that share one gate": with_the_later_gate,
            "x was saved in the place of the gate": with_x_for_the_gate,
            "the result was saved in the place of the gate": with_out_for_the_gate,
        },
        gradient=Gradient(
            cases=[
                Case("a matrix", [tensor((3, 5), "float64", low=-2, high=2)]),
                Case("float32", sizes=vectors(least=1025)),
            ],
            twice=True,
        ),
    ),
]

PROFILE = Case("65,536 elements", [tensor(1 << 16), 0.25])

QUESTIONS = [
    Choice(
        "cause_count_above",
        "On a GPU, compute-sanitizer may print nothing about the read of `x[n]`, because",
        {
            "a": "memcheck watches writes; a read past the end has no effect;",
            "b": "PyTorch cuts small tensors from a larger allocation, to which that address belongs;",
            "c": "the thread that reads it belongs to the last block, which memcheck skips.",
        },
        think="What does memcheck know: tensors, or allocations?",
        part="count_above",
    ),
    Choice(
        "cause_polynomial",
        "The kernel read an illegal address, because",
        {
            "a": "the structure is larger than a kernel's parameters may be;",
            "b": "the host had left the function, and its stack held other values;",
            "c": "it got the address of a structure in host memory, which a kernel must not read.",
        },
        think="Would the stub be right if the structure existed until the program ends?",
        part="polynomial",
    ),
    Choice(
        "cause_clip",
        "`limit.item()` in op.py gives the right numbers. It is not a repair, because",
        {
            "a": "every call then waits until the device has done all of the queued work;",
            "b": "`item()` rounds the limit to another dtype;",
            "c": "`item()` reads the limit before it has been computed.",
        },
        think="How does a number get from the device to the host, and when?",
        part="clip",
    ),
    Choice(
        "cause_row_sums",
        "`x.contiguous()` gives the right sums. It is not a repair here, because",
        {
            "a": "it changes the strides of the caller's tensor;",
            "b": "it keeps the strides of a transposed tensor;",
            "c": "it copies the matrix, although the kernel can read it with its strides.",
        },
        think="Count what is read and written with the copy, and without it.",
        part="row_sums",
    ),
    Choice(
        "cause_negative",
        "A crop has 600 elements, and an offset within it does not fit into 32 bits. How?",
        {
            "a": "`numel()` counts elements, and the offset is in bytes;",
            "b": "the strides lead through the image that the crop is part of;",
            "c": "the product is computed in 32 bits, and so every offset is too large.",
        },
        think="Where is the first element of the crop's second row?",
        part="negative",
    ),
    Choice(
        "cause_block_sums",
        "Which of compute-sanitizer's tools looks for the mistake in block_sums?",
        {
            "a": "racecheck;",
            "b": "memcheck;",
            "c": "synccheck.",
        },
        think="Is the mistake an address, a barrier that some threads miss, or an order of two accesses?",
        part="block_sums",
    ),
    Choice(
        "cause_block_maxima",
        "An H200 runs the kernel of block_maxima to its end, because",
        {
            "a": "the compiler moves the barrier above the return;",
            "b": "its barriers wait only for threads that have not returned;",
            "c": "its warps run in lockstep.",
        },
        think="The TODO says which GPUs hang. What do they count at a barrier?",
        part="block_maxima",
    ),
    Choice(
        "cause_byte_counts",
        "Why does initcheck print nothing about byte_counts?",
        {
            "a": "shared memory is zero when a block begins;",
            "b": "an atomic operation does not read;",
            "c": "it watches global memory, and the bins are in shared memory.",
        },
        think="The counts were right once, after a restart. Was that a rule?",
        part="byte_counts",
    ),
    Choice(
        "cause_scale_rows",
        "The launch was refused. Where did its error go?",
        {
            "a": "to the first call that waits for the device;",
            "b": "`cudaGetLastError()` returned it, and reset it: its result was not used;",
            "c": "nowhere: a launch that is refused counts as an empty one.",
        },
        think="What does the function in your second repair do after every launch?",
        part="scale_rows",
    ),
    Choice(
        "cause_normalise",
        "A `cudaDeviceSynchronize()` between the two launches",
        {
            "a": "would not be a repair: the host waits, and the second kernel is still on another stream;",
            "b": "would be a repair: the first kernel has ended when the second one begins;",
            "c": "would change nothing, because the default stream waits for every other one.",
        },
        think="The caller's next kernel reads the result. On which stream?",
        part="normalise",
    ),
    Choice(
        "cause_smooth",
        "racecheck prints nothing about smooth, because",
        {
            "a": "the two launches are on one stream, so there is no race;",
            "b": "two threads that write the same value do not race;",
            "c": "it watches shared memory, and this race is on global memory.",
        },
        think="Which threads touch one element, and in which memory is it?",
        part="smooth",
    ),
    Choice(
        "cause_silu_twice",
        "`gradcheck` of one layer passes, because",
        {
            "a": "it computes in float64, in which the mistake is too small to see;",
            "b": "only that layer writes to the kept gate, and always nearly the same numbers;",
            "c": "it never calls backward.",
        },
        think="How many layers does the network of the TODO have, and what do they share?",
        part="silu_twice",
    ),
    Choice(
        "missing_architecture",
        "`cuobjdump --list-elf` lists sm_80 alone, `--list-ptx` nothing. On an H200 (sm_90) the first launch",
        {
            "a": "works: the driver compiles the code for sm_80 again;",
            "b": "works, but slowly, since sm_80 is emulated;",
            "c": "fails: there is no kernel image for this device.",
        },
        think="Cubins run on GPUs of their own major version. What would PTX add?",
    ),
    Choice(
        "undefined_symbol",
        "`import` fails with an undefined symbol of c10. What says so before anything is imported?",
        {
            "a": "`nm -D --undefined-only` on the library, compared with what torch's libraries define;",
            "b": "`cuobjdump --list-elf` on the library;",
            "c": "`CUDA_LAUNCH_BLOCKING=1`.",
        },
        think="Which of the three reads the host's part of a shared library?",
    ),
]
