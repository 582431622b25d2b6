"""Measurements of the lessons that `lessons.measure` does not make: each function returns a table.

``TABLES`` are those of lessons that are not measured like most: 01 is about copies between host and device,
04 about the layout of an operand, 05 about several streams, 09 about colliding updates, 10 about a backward,
11 about measuring itself, 12 about kernels in two dtypes, 15 about arithmetic, 18 about repairs, 19 and 20
about sizes of tiles, 23 about the time and size of a build, 26 about repairs of a symptom, 27 about the time
of a test suite. ``MORE`` follow the usual table: 08 compares dtypes, 16 widths of rows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import idle_hardware
import matmuls
import numpy as np
import record
import scatters
import symptom_repairs
import tensor_core_tiles
import tile_sizes
import torch
import vector_kernels
from device_clock import copy_bandwidth, milliseconds, wall_milliseconds

from grader.course.catalog import Exercise

STRIDES = Path(record.REPOSITORY) / "docs" / "samples" / "strides"
ARCHITECTURES = ("9.0", "7.5;8.0;9.0+PTX", "7.5;8.0;8.6;8.9;9.0;10.0;12.0+PTX")
SOFTMAX_ELEMENTS = 1 << 26
Load = Callable[[Path, str], ModuleType]


def staged_copies(exercise: Exercise, load: Load) -> str:
    """01: where the time of a sum goes when its vectors live on the host."""
    size = 1 << 26
    a, b = (np.random.default_rng(seed).random(size, dtype=np.float32) for seed in (1, 2))
    op = load(exercise.solution_dir, "timed_01")
    on_device = torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()
    kernel = milliseconds(lambda: on_device[0] + on_device[1])
    out = np.empty_like(a)
    whole = wall_milliseconds(lambda: op.vector_add(a, b, out))
    host = wall_milliseconds(lambda: np.add(a, b, out=out))
    rows = [
        ("vectors", "67,108,864 float32 each, 268 MB"),
        ("reference solution, called with NumPy arrays", f"{whole:.1f} ms"),
        ("`a + b` in NumPy, one core", f"{host:.1f} ms"),
        ("the addition alone, on tensors already on the device", f"{kernel:.3f} ms"),
        ("share of the call that is not the kernel", f"{100 * (1 - kernel / whole):.1f} %"),
    ]
    return record.table(("what", "value"), rows)


def layouts(exercise: Exercise, load: Load) -> str:
    """04: one matrix laid out in four ways, for both kernels with 64-bit and with 32-bit indices."""
    size = 4096
    square, wide = (torch.rand(size, each, device="cuda") for each in (size, 2 * size))
    b = torch.rand(size, size, device="cuda")
    operands = {
        "contiguous": square,
        "transposed": square.t(),
        "every second column": wide[:, ::2],
        "one row, expanded": square[:1].expand(size, size),
    }
    compiled = torch.compile(lambda a, b: (a - b).abs(), dynamic=False)
    own = {name: stand_in(exercise, load, name) for name in ("", "pointers32", "accessors32")}
    calls: dict[str, Callable[[torch.Tensor], object]] = {
        "`.contiguous()`, then `pointers`": lambda a: own[""](a.contiguous(), b, "pointers"),
        "`pointers`": lambda a: own[""](a, b, "pointers"),
        "`pointers32.cu`": lambda a: own["pointers32"](a, b, "pointers"),
        "`accessors`": lambda a: own[""](a, b, "accessors"),
        "`accessors32.cu`": lambda a: own["accessors32"](a, b, "accessors"),
        "`(a - b).abs()`": lambda a: (a - b).abs(),
        "the same under `torch.compile`": lambda a: compiled(a, b),
    }
    bandwidth = copy_bandwidth()
    tensors = {"one row, expanded": 2}  # the row itself stays in a cache
    floors = [f"{tensors.get(name, 3) * b.nbytes / bandwidth:.4f} ms" for name in operands]
    rows = [("floor: reads and the result at the speed of a large copy", *floors)]
    for call, run in calls.items():
        times = (milliseconds(lambda run=run, a=a: run(a)) for a in operands.values())
        rows.append((call, *(f"{each:.4f} ms" for each in times)))
    return record.table((f"{size} x {size} float32, a is", *operands), rows)


def stand_in(exercise: Exercise, load: Load, name: str) -> Callable[..., object]:
    """04's entry with the kernel of that name in place of the solution's own; ``""`` is the solution.

    Its operators get a namespace of their own, since no two libraries may register one name.
    """
    own, library = exercise.build.name, f"{exercise.build.name}_{name}"
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(shutil.copytree(exercise.solution_dir, Path(scratch) / "copy"))
        if name:
            target = "accessors.cu" if name.startswith("accessors") else "kernel.cu"
            shutil.copyfile(STRIDES / f"{name}.cu", copy / target)
            for file in (copy / "binding.cpp", copy / "op.py"):
                file.write_text(file.read_text().replace(own, library))
        entry: Callable[..., object] = load(copy, f"timed_04_{name}").difference
        return entry


def rings(exercise: Exercise, load: Load) -> str:
    """05: many small rings and a few large ones, beside the same steps in PyTorch."""
    op = load(exercise.solution_dir, "timed_05")

    def plain(tensors: list[torch.Tensor]) -> None:
        for cells in tensors:
            cells.add_(0.25 * (cells.roll(1) - 2 * cells + cells.roll(-1)))

    rows = []
    for count, size in ((4, 1 << 24), (32, 1 << 12)):
        tensors = [torch.rand(size, device="cuda") for _ in range(count)]
        own = milliseconds(lambda tensors=tensors: op.diffuse_(tensors, 0.25))
        reference = milliseconds(lambda tensors=tensors: plain(tensors))
        rows.append((f"{count} rings of {size:,} cells", f"{own:.4f} ms", f"{reference:.4f} ms"))
    return record.table(("float32", "reference solution", "`roll` and arithmetic in PyTorch"), rows)


def sigmoid_backward(exercise: Exercise, load: Load) -> str:
    """10: one kernel for the backward of sigmoid beside the three operations that it replaces."""
    load(exercise.solution_dir, "timed_10")
    kernel = torch.ops.broken_backwards.sigmoid_backward
    grad, out = (torch.rand(1 << 26, device="cuda") for _ in range(2))

    def plain(grad: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return grad * out * (1 - out)

    compiled = torch.compile(plain, dynamic=False)
    rows = [
        ("elements", "67,108,864 float32"),
        ("the kernel of the exercise", f"{milliseconds(lambda: kernel(grad, out)):.4f} ms"),
        ("`grad * out * (1 - out)`", f"{milliseconds(lambda: plain(grad, out)):.4f} ms"),
        ("the same under `torch.compile`", f"{milliseconds(lambda: compiled(grad, out)):.4f} ms"),
    ]
    return record.table(("what", "value"), rows)


def traps(exercise: Exercise, load: Load) -> str:
    """11: bias + GELU fused and unfused, and what each trap of timing reports of one and the same call."""
    op = load(exercise.solution_dir, "timed_11")
    rows, copied = [], 0.0
    x, bias = torch.rand(4096, 4096, device="cuda"), torch.rand(4096, device="cuda")
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "copy of x": (lambda: x.clone(), 2 * x.nbytes),
        "unfused: `gelu(x + bias)`": (
            lambda: torch.nn.functional.gelu(x + bias, approximate="tanh"),
            4 * x.nbytes + bias.nbytes,
        ),
        "fused: the kernel of 07": (lambda: op.bias_gelu(x, bias), 2 * x.nbytes + bias.nbytes),
    }
    for name, (call, moved) in calls.items():
        found = op.measure(call, rounds=50)
        reached = moved / found.median_ms / 1e6
        copied = copied or reached
        spread = f"{found.low_ms:.4f} to {found.high_ms:.4f}"
        times = f"{found.median_ms:.4f} ms", spread, f"{found.host_ms:.4f} ms", f"{found.first_ms:.2f} ms"
        memory = f"{found.peak_bytes / 2**20:.0f} MiB"
        rows.append((name, *times, memory, f"{reached:,.0f} GB/s", f"{100 * reached / copied:.0f} %"))
    heading = (
        "float32, 4096 × 4096", "median", "quartiles", "host", "first call", "peak memory",
        "bytes moved per second", "beside the copy",
    )  # fmt: skip
    sizes = (4096, 1024, 128)
    columns = [_trapped(op, size) for size in sizes]
    table = [(name, *(f"{each[name]:.4f} ms" for each in columns)) for name in columns[0]]
    sized = tuple(f"{size} × {size}" for size in sizes)
    return record.table(heading, rows) + "\n\n" + record.table(("the fused kernel, timed", *sized), table)


def _trapped(op: ModuleType, size: int) -> dict[str, float]:
    """Milliseconds of bias + GELU for a square matrix, by the solution's way and by others."""
    x, bias = torch.rand(size, size, device="cuda"), torch.rand(size, device="cuda")

    def call() -> object:
        return op.bias_gelu(x, bias)

    def on_the_host(wait: bool) -> float:
        times = []
        for _ in range(50):
            torch.cuda.synchronize()
            start = time.perf_counter()
            call()
            if wait:
                torch.cuda.synchronize()
            times.append((time.perf_counter() - start) * 1e3)
        return float(np.median(times))

    def by_events(rounds: int, ahead: bool, flush: str) -> list[float]:
        buffer, times = op.eviction_buffer(), []
        for _ in range(rounds):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            if ahead:
                op.hold(1.0)
            if flush == "before":
                buffer.zero_()
            start.record()
            if flush == "within":
                buffer.zero_()
            call()
            stop.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(stop))
        return times

    first = op.measure(call, rounds=50)
    cold = by_events(50, ahead=True, flush="before")
    return {
        "as in the solution: events, cold L2, queued ahead, median": float(np.median(cold)),
        "the mean of the same rounds": float(np.mean(cold)),
        "the best of them": min(cold),
        "host's clock, no synchronisation": on_the_host(wait=False),
        "host's clock, synchronised": on_the_host(wait=True),
        "the first call with this size, host's clock": first.first_ms,
        "events, but warm L2": float(np.median(by_events(50, ahead=True, flush=""))),
        "events, warm L2, no head start": float(np.median(by_events(50, ahead=False, flush=""))),
        "L2 emptied between the events": float(np.median(by_events(50, ahead=True, flush="within"))),
    }


def wheels(exercise: Exercise, load: Load) -> str:
    """23: wall-clock seconds of a build, and the size of the library, for three lists of architectures."""
    rows = []
    for listed in ARCHITECTURES:
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(shutil.copytree(exercise.solution_dir, Path(scratch) / "source"))
            start = time.perf_counter()
            command = [
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--no-build-isolation",
                "--no-deps",
                "-w",
                scratch,
            ]
            surroundings = {**os.environ, "TORCH_CUDA_ARCH_LIST": listed}
            subprocess.run([*command, source], env=surroundings, capture_output=True, check=True)
            seconds = time.perf_counter() - start
            library = next(Path(source).rglob("build/**/*.so"))
            rows.append((f"`{listed}`", f"{seconds:.0f} s", f"{library.stat().st_size / 1024:,.0f} KiB"))
    return record.table(("`TORCH_CUDA_ARCH_LIST`", "wall-clock time of the build", "library"), rows)


def suite(exercise: Exercise, load: Load) -> str:
    """27: what grading the reference suite takes, once every implementation is built."""
    rows = []
    for backend in ("cuda", "simt"):
        environment = {**os.environ, "CU2GRAD_BACKEND": backend}
        arguments = (exercise.slug, "--from", "solutions")
        record.check_seconds(*arguments, environment=environment)  # builds
        taken = record.check_seconds(*arguments, environment=environment)
        rows.append((backend, f"{taken['accepts']:.1f} s", f"{taken['kills']:.1f} s"))
    return record.table(("backend", "correct implementations (accepts)", "wrong ones (kills)"), rows)


def pooled_dtypes(exercise: Exercise, load: Load) -> str:
    """08: the same pooling in three dtypes, beside PyTorch's expression: time, and the largest error.

    An error is in units of what one rounding to the dtype may cost, against float64 of the same inputs.
    """
    pool, scale = load(exercise.solution_dir, "timed_08").pool, 1 / 256

    def plain(x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
        return scale * (x * weight).sum(1)

    def error(out: torch.Tensor, exact: torch.Tensor) -> str:
        unit = torch.finfo(out.dtype).eps / 2
        return f"{float(((out.double() - exact) / exact).abs().max()) / unit:.2f}"

    rows = []
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x, weight = (torch.rand(each, device="cuda").to(dtype) for each in ((256, 256, 1024), (256, 1024)))
        exact = plain(x.double(), weight.double(), scale)
        moved = (x.numel() + weight.numel() + x.shape[0] * x.shape[2]) * x.element_size()
        own = milliseconds(lambda x=x, weight=weight: pool(x, weight, scale))
        theirs = milliseconds(lambda x=x, weight=weight: plain(x, weight, scale))
        errors = [error(function(x, weight, scale), exact) for function in (pool, plain)]
        name, speed = str(dtype).removeprefix("torch."), f"{moved / own / 1e9:.2f} TB/s"
        rows.append((name, f"{own:.4f} ms", speed, errors[0], f"{theirs:.4f} ms", errors[1]))
    plainly = "`scale * (x * weight).sum(1)`"
    heading = ("dtype", "`pool`", "its least traffic over time", "its error", plainly, "its error")
    return record.table(heading, rows)


def softmax_widths(exercise: Exercise, load: Load) -> str:
    """16: rows of several widths, and the backward; the same number of elements in every row of the table."""
    load(exercise.solution_dir, "timed_16")
    ops = torch.ops.row_softmax
    bandwidth = copy_bandwidth()

    def plain(grad: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return y * (grad - (grad * y).sum(dim=-1, keepdim=True))

    # Without dynamic=False, the second width would be compiled for any width, and the others run that.
    fused_forward = torch.compile(lambda x: torch.softmax(x, dim=-1), dynamic=False)
    fused_backward = torch.compile(plain, dynamic=False)
    rows = []
    for columns in (32, 1024, 4096, 16_384, 65_536):
        x, other = (torch.randn(SOFTMAX_ELEMENTS // columns, columns, device="cuda") for _ in range(2))
        y = torch.softmax(x, dim=-1)
        forward = (
            lambda x=x: ops.softmax(x),
            lambda x=x: torch.softmax(x, dim=-1),
            lambda x=x: fused_forward(x),
        )
        backward = (
            lambda g=other, y=y: ops.softmax_backward(g, y),
            lambda g=other, y=y: torch._softmax_backward_data(g, y, -1, torch.float32),
            lambda g=other, y=y: fused_backward(g, y),
        )
        for direction, tensors, calls in (("forward", 2, forward), ("backward", 3, backward)):
            floor = tensors * x.numel() * x.element_size() / bandwidth
            own, eager, fused = (milliseconds(call) for call in calls)
            times = (f"{each:.4f} ms" for each in (floor, own, eager, fused))
            rows.append((f"{x.shape[0]:,} × {columns:,}, {direction}", *times, f"{floor / own:.2f}"))
    return record.table(
        ("float32", "floor", "reference solution", "PyTorch", "`torch.compile`", "floor / solution"), rows
    )


TABLES: dict[str, Callable[[Exercise, Load], str]] = {
    "01_vector_add": staged_copies,
    "04_strides_and_indices": layouts,
    "05_streams_and_devices": rings,
    "09_embedding_backward": scatters.tables,
    "10_broken_backwards": sigmoid_backward,
    "11_measure_first": traps,
    "12_vectorized_access": vector_kernels.table,
    "15_tiled_matmul": matmuls.products,
    "18_occupancy_and_divergence": idle_hardware.table,
    "19_register_tiled_matmul": tile_sizes.table,
    "20_tensor_cores": tensor_core_tiles.table,
    "23_ahead_of_time": wheels,
    "26_debugging_clinic": symptom_repairs.table,
    "27_write_the_tests": suite,
}
# What a lesson measures beside what is measured of most.
MORE: dict[str, Callable[[Exercise, Load], str]] = {
    "08_half_and_bfloat16": pooled_dtypes,
    "16_softmax": softmax_widths,
}
