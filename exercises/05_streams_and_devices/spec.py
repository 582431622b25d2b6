"""diffuse_: one step of heat around each ring of a list, in place, with gradients."""

import torch

from grader.spec import Case, Gradient, Refusal, TensorSpec, tensor

ENTRY = "diffuse_"


def reference(rings: list[torch.Tensor], rate: float) -> list[torch.Tensor]:
    for ring in rings:
        cells = ring.flatten()
        ring.add_((rate * (cells.roll(1) - 2 * cells + cells.roll(-1))).view_as(ring))
    return rings


def several(*sizes: int, dtype: str = "float32", device: str = "cuda:0") -> list[TensorSpec]:
    return [tensor(size, dtype, device=device) for size in sizes]


def in_place(name: str, rings: list[TensorSpec], rate: float = 0.25, **more: object) -> Case:
    """All rings change. By default, cuda:0 and its default stream are current."""
    return Case(name, [rings, rate], modifies=("rings",), **more)


CASES = [
    in_place("one ring", several(256)),
    in_place("one cell, which is its own neighbour", several(1)),
    in_place("two cells", several(2), rate=0.4),
    in_place("rings of many sizes", several(1000, 3, 257, 1)),
    in_place("rings of one size, side by side", several(700, 700, 700, 700), streams=4),
    in_place("float64", several(333, 90, dtype="float64")),
    in_place("both dtypes in one list", [tensor(130), tensor(77, "float64")]),
    in_place("a ring with two dimensions", [tensor((6, 31))]),
    in_place("a view into larger storage", [tensor(99, layout="offset"), tensor(40)]),
    in_place("an empty ring among others", several(120, 0, 300)),
    in_place("no ring at all", []),
    in_place("large values", [tensor(400, special="large")]),
    in_place("not-a-number spreads to both sides", [tensor(300, special="nan")]),
    in_place("under a side stream", several(700, 900), stream="side"),
    in_place("on the second device", several(300, 300, device="cuda:1")),
    in_place("on the second device, while it is current", several(500, device="cuda:1"), device=1),
    in_place("the second device's side stream", several(64, 64, device="cuda:1"), device=1, stream="side"),
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

GRADIENT = Gradient(
    cases=[
        in_place("one ring", several(9, dtype="float64")),
        in_place("several rings", several(6, 1, 5, dtype="float64")),
        in_place("two dimensions", [tensor((3, 4), "float64")]),
        in_place("float32", several(300)),
        in_place("one ring empty", several(0, 6, dtype="float64")),
        in_place("under a side stream", several(70, 30), stream="side"),
        in_place("on the second device", several(40, device="cuda:1")),
    ],
)


def traffic(rings: list[torch.Tensor], rate: float) -> int:
    """Copy (read and write), then step (read and write); neighbours come from a cache."""
    return 4 * sum(ring.numel() * ring.element_size() for ring in rings)


def flops(rings: list[torch.Tensor], rate: float) -> int:
    return 5 * sum(ring.numel() for ring in rings)


PROFILE = in_place("four rings of 16,384 cells", several(*[1 << 14] * 4))
