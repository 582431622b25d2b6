"""The measurement of lesson 19: its solution with tiles of several sizes, beside the library's product.

Each variant is the solution's kernel.cu with other constants. The table says which of them is fastest, and
what share of the library's speed it reaches.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import record
import torch
from device_clock import launch_microseconds, milliseconds
from matmuls import PEAK
from stand_ins import milliseconds_of

from grader.course.catalog import Exercise
from grader.specification import TensorSpec, load_spec

# Constants of kernel.cu by variant. All fit into 48 KiB of static shared memory.
VARIANTS: dict[str, Mapping[str, int]] = {
    "one_block": {"kBlocks": 1},
    "depth_8": {"kDepthBytes": 32},
    "depth_8_one_block": {"kDepthBytes": 32, "kBlocks": 1},
    "64_rows_two_blocks": {"kWarpsDown": 2, "kBlocks": 2},
    "64_rows_three_blocks": {"kWarpsDown": 2, "kBlocks": 3},
    "64_rows_depth_32": {"kWarpsDown": 2, "kBlocks": 2, "kDepthBytes": 128},
    "16_rows_a_thread": {"kRowBytes": 64, "kDepthBytes": 32, "kBlocks": 1},
    "16_rows_128_threads": {"kRowBytes": 64, "kWarpsDown": 2, "kBlocks": 1},
    "16_columns_a_thread": {"kColumnVectors": 4, "kDepthBytes": 32, "kBlocks": 1},
    "16_columns_128_threads": {"kColumnVectors": 4, "kWarpsAcross": 1, "kBlocks": 1},
}
SOLUTION = "reference solution"


def with_constants(kernel: str, values: Mapping[str, int]) -> str:
    """The source with other values for `constexpr int` constants, each of which it has to define once."""
    for name, value in values.items():
        kernel, found = re.subn(rf"\b{name} = \d+", f"{name} = {value}", kernel)
        assert found == 1, name
    return kernel


def table(exercise: Exercise, load: Callable[[Path, str], ModuleType]) -> str:
    """19: two tables."""
    spec = load_spec(exercise)
    assert spec.speed is not None and spec.flops is not None
    assert not torch.backends.cuda.matmul.allow_tf32, "float32 is compared with float32"
    shapes = [each.shape for each in spec.speed.args if isinstance(each, TensorSpec)]
    a, b = (torch.rand(shape, device="cuda") * 2 - 1 for shape in shapes)
    own = load(exercise.solution_dir, "timed_19").matmul
    compiled = torch.compile(torch.matmul, dynamic=False)
    calls: dict[str, Callable[[], object]] = {
        SOLUTION: lambda: own(a, b),
        "`a @ b`": lambda: a @ b,
        "the same under `torch.compile`": lambda: compiled(a, b),
    }
    times = {name: milliseconds(call) for name, call in calls.items()}
    times |= timed_variants(exercise, VARIANTS)
    operations, library = spec.flops(a, b), times["`a @ b`"]
    rows = [
        (name, f"{taken:.3f} ms", f"{operations / taken / 1e9:.1f}",
         f"{100 * operations / taken * 1e3 / PEAK:.0f} %", f"{library / taken:.2f}")
        for name, taken in times.items()
    ]  # fmt: skip
    error = (own(a, b).double() - a.double() @ b.double()).abs().max()
    facts = [
        ("inputs", f"{'×'.join(map(str, a.shape))}, {'×'.join(map(str, b.shape))}"),
        ("largest error of the solution against float64", f"{float(error):.1e}"),
        (
            "largest error of `a @ b`",
            f"{float(((a @ b).double() - a.double() @ b.double()).abs().max()):.1e}",
        ),
        *(
            (f"{name}: host time of a call", f"{launch_microseconds(call):.0f} µs")
            for name, call in calls.items()
        ),
    ]
    header = ("float32, TF32 off", "time", "TFLOP/s", "share of the peak", "speed beside the library")
    return "\n\n".join((record.table(header, rows), record.table(("what", "value"), facts)))


def timed_variants(exercise: Exercise, variants: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """Milliseconds of the solution with other constants, by these constants."""
    kernel = (exercise.solution_dir / "kernel.cu").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        for name, values in variants.items():
            (Path(scratch) / f"{name}.cu").write_text(with_constants(kernel, values), encoding="utf-8")
        found = dict(milliseconds_of(exercise, Path(scratch), tuple(variants)))
    said = {name: ", ".join(f"{key} = {value}" for key, value in variants[name].items()) for name in found}
    return {f"`{said[name]}`": taken for name, taken in found.items()}
