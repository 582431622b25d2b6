"""Measurements of the lessons that `lessons.measure` does not make: each function returns a table.

``TABLES`` are those of exercises without a speed case, ``MORE`` those that follow the usual table.

01 is about copies between host and device, 05 about several streams, 10 about a backward, 16 about rows of
several widths, 23 about the time and size of a build, 27 about the time of a test suite.
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

import numpy as np
import record
import torch
from device_clock import copy_bandwidth, milliseconds, wall_milliseconds

from grader.catalog import Exercise

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

    compiled = torch.compile(plain)
    rows = [
        ("elements", "67,108,864 float32"),
        ("the kernel of the exercise", f"{milliseconds(lambda: kernel(grad, out)):.4f} ms"),
        ("`grad * out * (1 - out)`", f"{milliseconds(lambda: plain(grad, out)):.4f} ms"),
        ("the same under `torch.compile`", f"{milliseconds(lambda: compiled(grad, out)):.4f} ms"),
    ]
    return record.table(("what", "value"), rows)


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
    "05_streams_and_devices": rings,
    "10_broken_backwards": sigmoid_backward,
    "23_ahead_of_time": wheels,
    "27_write_the_tests": suite,
}
MORE: dict[str, Callable[[Exercise, Load], str]] = {"16_softmax": softmax_widths}
