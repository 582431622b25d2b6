"""12: kernels that stand in for the exercise's kernel.cu, each timed in float32 and in float16.

Both dtypes move the same bytes. As a script it times one submission, since no two libraries may register one
operator in one process: `python benchmarks/vector_kernels.py FOLDER` prints the times in ms as JSON.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import record
import torch
from device_clock import copy_bandwidth, milliseconds

from grader.course.catalog import Exercise

Load = Callable[[Path, str], ModuleType]
SAMPLES = record.REPOSITORY / "docs" / "samples" / "vectors"
# In the order of the lesson: the file, and what the table calls it.
KERNELS = {
    "naive": "one element per thread (`naive.cu`)",
    "unrolled": "eight elements per thread, one by one (`unrolled.cu`)",
    "pieces": "16-byte loads, 64 bytes apart (`pieces.cu`)",
    "vectors": "16-byte loads, one of each input per thread (`vectors.cu`)",
}
BYTES = 1 << 28  # of each of the three tensors
DTYPES = (torch.float32, torch.float16)
FORWARD, BACKWARD, VIEW = "forward", "backward", "view"


def operands(dtype: torch.dtype) -> list[torch.Tensor]:
    """Two tensors of BYTES bytes."""
    count = BYTES // dtype.itemsize
    return [torch.rand(count, device="cuda").sub_(0.5).to(dtype) for _ in range(2)]


def timed(folder: Path) -> dict[str, list[float]]:
    """Milliseconds of the submission in ``folder``, for each of DTYPES: forward, backward, misaligned."""
    recipe = importlib.util.spec_from_file_location("timed_vectors", folder / "op.py")
    assert recipe is not None and recipe.loader is not None
    op = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(op)
    ops = torch.ops.vectorized_access
    found: dict[str, list[float]] = {FORWARD: [], BACKWARD: [], VIEW: []}
    for dtype in DTYPES:
        x, y = operands(dtype)
        found[FORWARD].append(milliseconds(lambda x=x, y=y: ops.add_relu(x, y)))
        found[BACKWARD].append(milliseconds(lambda x=x, y=y: ops.relu_backward(x, y)))
        x, y = x[1:], y[:-1]
        found[VIEW].append(milliseconds(lambda x=x, y=y: ops.add_relu(x, y)))
    return found


def in_a_process_of_its_own(folder: Path) -> dict[str, list[float]]:
    done = subprocess.run(
        [sys.executable, __file__, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{folder} could not be timed:\n{done.stdout}\n{done.stderr}")
    times: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return times


def standing_in(exercise: Exercise, kernel: Path) -> dict[str, list[float]]:
    """The times of the solution with another kernel.cu."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(shutil.copytree(exercise.solution_dir, Path(scratch) / kernel.stem))
        shutil.copyfile(kernel, copy / "kernel.cu")
        return in_a_process_of_its_own(copy)


def library() -> dict[str, list[float]]:
    """PyTorch's own: an addition alone, addition and relu in two kernels, and compiled into one."""

    def plain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + y)

    compiled = torch.compile(plain, dynamic=False)
    calls: dict[str, Callable[[torch.Tensor, torch.Tensor], object]] = {
        "`x + y`": torch.add,
        "`torch.relu(x + y)`": plain,
        "the same under `torch.compile`": compiled,
    }
    drawn = [operands(dtype) for dtype in DTYPES]
    return {
        name: [milliseconds(lambda call=call, pair=pair: call(*pair)) for pair in drawn]
        for name, call in calls.items()
    }


def table(exercise: Exercise, load: Load) -> str:
    """What the lesson shows. ``load`` is not needed: every kernel has a process of its own."""
    bandwidth = copy_bandwidth()
    floor = 3 * BYTES / bandwidth
    solution = in_a_process_of_its_own(exercise.solution_dir)
    rows = [
        ("elements", *(f"{BYTES // dtype.itemsize:,}" for dtype in DTYPES)),
        ("least traffic", *[f"{3 * BYTES / 1e6:.1f} MB"] * 2),
        ("floor: that traffic at the speed of a large copy", *[f"{floor:.4f} ms"] * 2),
    ]
    for name, title in KERNELS.items():
        rows.append(_row(title, standing_in(exercise, SAMPLES / f"{name}.cu")[FORWARD]))
    rows.append(_row("reference solution", solution[FORWARD]))
    rows.append(_row("reference solution, backward", solution[BACKWARD]))
    rows.append(_row("reference solution, x begins one element into its storage", solution[VIEW]))
    rows += [_row(name, times) for name, times in library().items()]
    reached = [3 * BYTES / each / bandwidth for each in solution[FORWARD]]
    rows.append(("reference solution, of a large copy's bandwidth", *(f"{each:.2f}" for each in reached)))
    rows.append(("large copy", *[f"{bandwidth / 1e9:.2f} TB/s"] * 2))
    return record.table(("what", *(str(dtype).removeprefix("torch.") for dtype in DTYPES)), rows)


def _row(title: str, times: list[float]) -> tuple[str, ...]:
    return title, *(f"{each:.4f} ms" for each in times)


if __name__ == "__main__":
    print(json.dumps(timed(Path(sys.argv[1]).resolve())))
