"""The measurement of lesson 20: its solution with tiles of several sizes, beside cuBLAS in half precision.

Each variant is the solution's kernel.cu with other constants. The tables say which of them is fastest, what
share of the library's speed it reaches, and what bfloat16 and the two gradients reach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import record
import torch
from device_clock import launch_microseconds, milliseconds
from tile_sizes import SOLUTION, timed_variants

from grader.course.catalog import Exercise
from grader.specification import TensorSpec, load_spec

PEAK = 989e12  # operations/s of tensor cores, 16 bits, dense: NVIDIA, "H200 Tensor Core GPU" data sheet (SXM)
# Constants of kernel.cu by variant.
VARIANTS: dict[str, Mapping[str, int]] = {
    "no_padding": {"kPadding": 0},
    "depth_64": {"kDepth": 64},
    "4_warps": {"kWarpsAcross": 2, "kBlocks": 2},
    "4_warps_depth_64": {"kWarpsAcross": 2, "kBlocks": 2, "kDepth": 64, "kStages": 2},
}
Product = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def table(exercise: Exercise, load: Callable[[Path, str], ModuleType]) -> str:
    """20: three tables."""
    spec = load_spec(exercise)
    assert spec.speed is not None and spec.flops is not None
    shapes = [each.shape for each in spec.speed.args if isinstance(each, TensorSpec)]
    x, weight = (torch.rand(shape, device="cuda").half() * 2 - 1 for shape in shapes)
    own = load(exercise.solution_dir, "timed_20").linear
    operations = spec.flops(x, weight)
    return "\n\n".join((
        _products(exercise, own, x, weight, operations),
        _others(own, x.bfloat16(), weight.bfloat16(), operations),
        _facts(own, x, weight),
    ))  # fmt: skip


def _products(
    exercise: Exercise, own: Product, x: torch.Tensor, weight: torch.Tensor, operations: int
) -> str:
    compiled = torch.compile(lambda x, weight: x @ weight.T, dynamic=False)
    times = {
        SOLUTION: milliseconds(lambda: own(x, weight)),
        "`x @ weight.T`": milliseconds(lambda: x @ weight.T),
        "the same under `torch.compile`": milliseconds(lambda: compiled(x, weight)),
    } | timed_variants(exercise, VARIANTS)  # fmt: skip
    library = times["`x @ weight.T`"]
    rows = [
        (name, f"{taken:.3f} ms", f"{operations / taken / 1e9:.0f}",
         f"{100 * operations / taken * 1e3 / PEAK:.0f} %", f"{library / taken:.2f}")
        for name, taken in times.items()
    ]  # fmt: skip
    return record.table(("float16", "time", "TFLOP/s", "share of the peak", "speed beside the library"), rows)


def _others(own: Product, x: torch.Tensor, weight: torch.Tensor, operations: int) -> str:
    """bfloat16, and the products of backward, beside the library's."""
    grad_out = torch.rand_like(x @ weight.T)
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "bfloat16, `x @ weight.T`": (lambda: own(x, weight), lambda: x @ weight.T),
        "bfloat16, `grad_out @ weight`": (lambda: own(grad_out, weight.t()), lambda: grad_out @ weight),
        "bfloat16, `grad_out.T @ x`": (lambda: own(grad_out.t(), x.t()), lambda: grad_out.T @ x),
    }
    rows = []
    for name, (ours, theirs) in pairs.items():
        mine, library = milliseconds(ours), milliseconds(theirs)
        rows.append((name, f"{mine:.3f} ms", f"{operations / mine / 1e9:.0f}", f"{library / mine:.2f}"))
    return record.table(("product", "reference solution", "TFLOP/s", "speed beside the library"), rows)


def _facts(own: Product, x: torch.Tensor, weight: torch.Tensor) -> str:
    exact = x.double() @ weight.double().T

    def error(found: torch.Tensor) -> str:
        return f"{float((found.double() - exact).abs().max()):.1e}"

    rows = [
        ("inputs", f"{'×'.join(map(str, x.shape))}, {'×'.join(map(str, weight.shape))}"),
        ("largest error of the solution against float64", error(own(x, weight))),
        ("largest error of `x @ weight.T`", error(x @ weight.T)),
        ("reference solution: host time of a call", f"{launch_microseconds(lambda: own(x, weight)):.0f} µs"),
        ("`x @ weight.T`: host time of a call", f"{launch_microseconds(lambda: x @ weight.T):.0f} µs"),
    ]
    return record.table(("what", "value"), rows)
