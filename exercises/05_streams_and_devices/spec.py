"""One step of heat around rings, in four parts: one ring, several side by side, in place, with gradients."""

import torch

from grader.specification import Case, Gradient, Part, Refusal, TensorSpec, drawn, tensor


def after_a_step(ring: torch.Tensor, rate: float) -> torch.Tensor:
    cells = ring.flatten()
    return (cells + rate * (cells.roll(1) - 2 * cells + cells.roll(-1))).view_as(ring)


def step(ring: torch.Tensor, rate: float) -> torch.Tensor:
    return after_a_step(ring, rate)


def step_each(rings: list[torch.Tensor], rate: float) -> list[torch.Tensor]:
    return [after_a_step(ring, rate) for ring in rings]


def step_each_(rings: list[torch.Tensor], rate: float) -> list[torch.Tensor]:
    for ring in rings:
        ring.copy_(after_a_step(ring, rate))
    return rings


def several(*sizes: int, dtype: str = "float32", device: str = "cuda:0") -> list[TensorSpec]:
    return [tensor(size, dtype, device=device) for size in sizes]


def in_place(name: str, rings: list[TensorSpec], rate: float = 0.25, **more: object) -> Case:
    """All rings change. By default, cuda:0 and its default stream are current."""
    return Case(name, [rings, rate], modifies=("rings",), **more)


def of_this_verdict(least: int, most: int, **more: object) -> Case:
    """A ring of `least` to `most` cells beside a shorter one."""
    sizes = drawn(lambda n, m: [several(n, m), 0.25], n=(least, most), m=(2, least // 8))
    return Case("sizes of this verdict", sizes=sizes, **more)


ONE_RING = [
    Case("one ring", [tensor(256), 0.25], launch_errors=True),
    Case("one cell, which is its own neighbour", [tensor(1), 0.25]),
    Case("two cells", [tensor(2), 0.4]),
    Case("more cells than a block has threads", [tensor(1000), 0.25]),
    Case("float64", [tensor(333, "float64"), 0.25]),
    Case("a ring with two dimensions", [tensor((6, 31)), 0.25]),
    Case("a view into larger storage", [tensor(99, layout="offset"), 0.25]),
    Case("an empty ring", [tensor(0), 0.25]),
    Case("large values", [tensor(400, special="large"), 0.25]),
    Case("not-a-number spreads to both sides", [tensor(300, special="nan"), 0.25]),
    Case("under a side stream", [tensor(700), 0.25], stream="side"),
    Case("on the second device", [tensor(300, device="cuda:1"), 0.25]),
    Case("on the second device, while it is current", [tensor(500, device="cuda:1"), 0.25], device=1),
    Case("under the first device's side stream", [tensor(90, device="cuda:1"), 0.25], stream="side"),
    Case("the second device's side stream", [tensor(64, device="cuda:1"), 0.25], device=1, stream="side"),
    # More cells than 4 x 256 threads, or 65,535 blocks of one thread, cover without a loop.
    Case("sizes of this verdict", sizes=drawn(lambda n: [tensor(n), 0.25], n=(65_537, 100_000))),
]

SIDE_BY_SIDE = [
    Case("one ring", [several(256), 0.25]),
    Case("rings of many sizes", [several(1000, 3, 257, 1), 0.25]),
    Case("rings of one size, side by side", [several(700, 700, 700, 700), 0.25], streams=4),
    Case("both dtypes in one list", [[tensor(130), tensor(77, "float64")], 0.25]),
    Case("an empty ring among others", [several(120, 0, 300), 0.25]),
    Case("no ring at all", [[], 0.25]),
    Case("under a side stream", [several(700, 900), 0.25], stream="side"),
    Case("on the second device", [several(300, 300, device="cuda:1"), 0.25]),
    Case(
        "the second device's side stream", [several(64, 64, device="cuda:1"), 0.25], device=1, stream="side"
    ),
    of_this_verdict(65_537, 80_000),
]

REFUSALS = [
    Refusal(
        "rings on two devices",
        [[tensor(8), tensor(8), tensor(8, device="cuda:1")], 0.25],
        mentions=["rings[2]", "cuda:1"],
    ),
    Refusal("a ring on the CPU", [[tensor(8), tensor(8, device="cpu")], 0.25], mentions=["rings[1]", "CUDA"]),
    Refusal(
        "first a ring on the CPU", [[tensor(8, device="cpu"), tensor(8)], 0.25], mentions=["rings[0]", "CUDA"]
    ),
    Refusal(
        "a ring that is every second element",
        [[tensor(8), tensor(8, layout="sliced")], 0.25],
        mentions=["rings[1]", "contiguous"],
    ),
    Refusal("a ring of integers", [[tensor(8), tensor(8, "int32")], 0.25], mentions=["rings[1]", "float"]),
]

IN_PLACE = [
    in_place("one ring", several(256), launch_errors=True),
    in_place("rings of many sizes", several(1000, 3, 257, 1)),
    in_place("rings of one size, side by side", several(700, 700, 700, 700), streams=4),
    in_place("float64", several(333, 90, dtype="float64")),
    in_place("both dtypes in one list", [tensor(130), tensor(77, "float64")]),
    in_place("a view into larger storage", [tensor(99, layout="offset"), tensor(40)]),
    in_place("an empty ring among others", several(120, 0, 300)),
    in_place("under a side stream", several(700, 900), stream="side"),
    in_place("on the second device", several(300, 300, device="cuda:1")),
    in_place("on the second device, while it is current", several(500, device="cuda:1"), device=1),
    of_this_verdict(65_537, 80_000, modifies=("rings",)),
]

WITH_GRADIENTS = [
    in_place("one ring", several(256)),
    in_place("rings of many sizes", several(400, 3, 257)),
    in_place("under a side stream", several(700, 900), stream="side"),
    of_this_verdict(65_537, 80_000, modifies=("rings",)),
]

GRADIENT = Gradient(
    cases=[
        in_place("one ring", several(9, dtype="float64")),
        in_place("several rings", several(6, 1, 5, dtype="float64")),
        in_place("two dimensions", [tensor((3, 4), "float64")]),
        of_this_verdict(1025, 4000, modifies=("rings",)),
        in_place("one ring empty", several(0, 6, dtype="float64")),
        in_place("under a side stream", several(70, 30), stream="side"),
        in_place("on the second device", several(40, device="cuda:1")),
    ],
)

PARTS = [
    Part(
        "current_stream",
        "one ring on the caller's stream",
        entry="step",
        reference=step,
        cases=ONE_RING,
        sections=("kernel", "launcher", "current"),
        points=30,
    ),
    Part(
        "fork_and_join",
        "each ring on a stream of its own",
        entry="step_each",
        reference=step_each,
        cases=SIDE_BY_SIDE,
        refusals=REFUSALS,
        sections=("checks", "ready", "fork", "join"),
        points=30,
    ),
    Part(
        "allocator",
        "in place, with scratch memory from the allocator",
        entry="step_each_",
        reference=step_each_,
        cases=IN_PLACE,
        sections=("scratch",),
        points=20,
    ),
    Part(
        "in_place",
        "in place, and known to autograd",
        entry="diffuse_",
        reference=step_each_,
        cases=WITH_GRADIENTS,
        gradient=GRADIENT,
        sections=("forward", "backward"),
        points=20,
    ),
]


def traffic(ring: torch.Tensor, rate: float) -> int:
    """Read every cell, write every cell; neighbours come from a cache."""
    return 2 * ring.numel() * ring.element_size()


def flops(ring: torch.Tensor, rate: float) -> int:
    return 5 * ring.numel()


PROFILE = Case("a ring of 65,536 cells", [tensor(1 << 16), 0.25])
