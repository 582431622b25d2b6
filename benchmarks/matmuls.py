"""The measurement of lesson 15: matrix products with tiles of several sizes, beside the library's.

Arithmetic limits a large product, not the bandwidth of memory, so each row has its TFLOP/s and its share of
the float32 peak. What a kernel requests from global memory follows from its tiles; the simulated GPU counts
the same number.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import record
import torch
from device_clock import copy_bandwidth, launch_microseconds, milliseconds
from matmul_traffic import SOLUTION, requested
from stand_ins import milliseconds_of

from grader.course.catalog import Exercise
from grader.specification import TensorSpec, load_spec

SAMPLES = Path(record.REPOSITORY) / "docs" / "samples" / "matmuls"
PEAK = 67e12  # float32 operations/s without tensor cores: NVIDIA, "H200 Tensor Core GPU" data sheet (SXM)


def products(exercise: Exercise, load: Callable[[Path, str], ModuleType]) -> str:
    """15: the table of its lesson."""
    spec = load_spec(exercise)
    assert spec.speed is not None and spec.traffic is not None and spec.flops is not None
    assert not torch.backends.cuda.matmul.allow_tf32, "float32 is compared with float32"
    shapes = [each.shape for each in spec.speed.args if isinstance(each, TensorSpec)]
    a, b = (torch.rand(shape, device="cuda") * 2 - 1 for shape in shapes)
    own = load(exercise.solution_dir, "timed_15").matmul
    compiled = torch.compile(torch.matmul, dynamic=False)
    calls: dict[str, Callable[[], object]] = {
        SOLUTION: lambda: own(a, b),
        "`a @ b`": lambda: a @ b,
        "the same under `torch.compile`": lambda: compiled(a, b),
    }
    way = ("naive", "tile16", "aligned", "registers")
    times = {f"kernel `{name}.cu`": each for name, each in milliseconds_of(exercise, SAMPLES, way)}
    times |= {name: milliseconds(call) for name, call in calls.items()}
    order = ("kernel `naive.cu`", "kernel `tile16.cu`", SOLUTION, "kernel `aligned.cu`")
    order += ("kernel `registers.cu`", "`a @ b`", "the same under `torch.compile`")
    operations = spec.flops(a, b)
    m, k, n = *a.shape, b.shape[1]
    rows = [_row(name, times[name], operations, requested(name, m, k, n)) for name in order]
    header = ("float32, TF32 off", "time", "TFLOP/s", "share of the peak", "requested from global memory")
    least, bandwidth = spec.traffic(a, b), copy_bandwidth()
    hosts = {name: launch_microseconds(call) for name, call in calls.items()}
    facts = [
        ("inputs", f"{m}×{k}, {k}×{n}"),
        ("floor: the arithmetic at the peak of 67 TFLOP/s", f"{operations / PEAK * 1e3:.3f} ms"),
        (f"floor: the least traffic, {least / 1e6:.1f} MB, at the speed of a large copy",
         f"{least / bandwidth:.3f} ms"),
        ("large copy", f"{bandwidth / 1e9:.2f} TB/s"),
        *((f"{name}: host time of a call", f"{each:.0f} µs") for name, each in hosts.items()),
    ]  # fmt: skip
    return "\n\n".join((record.table(header, rows), record.table(("what", "value"), facts)))


def _row(name: str, taken: float, operations: int, moved: int | None) -> tuple[str, ...]:
    speed = operations / taken * 1e3
    return (
        name, f"{taken:.3f} ms", f"{speed / 1e12:.1f}", f"{100 * speed / PEAK:.0f} %",
        f"{moved / 1e9:.2f} GB" if moved is not None else "not counted",
    )  # fmt: skip
