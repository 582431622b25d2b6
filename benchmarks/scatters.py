"""09: the gradient of a table, by atomics, by runs and by segments, for indices that collide more and more.

Every kernel on the way is a submission of its own, timed in a process of its own (no two libraries may
register one operator): ``python benchmarks/scatters.py FOLDER`` prints its times as JSON.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import record
import torch
from device_clock import copy_bandwidth, milliseconds

from grader.course.catalog import Exercise

INDICES, COLUMNS, ROWS = 1 << 16, 256, 50_000
AMONG = {"50,000 rows": ROWS, "1000 rows": 1000, "16 rows": 16, "one row": 1}
SAMPLES = Path(record.REPOSITORY) / "docs" / "samples" / "scatters"
NAMES = {
    "by_index": "one thread for each index (`by_index.cu`)",
    "solution": "one thread for each element: the solution",
    "runs": "runs of equal indices added up first (`runs.cu`)",
    "lost": "the solution without atomics, wrong (`lost.cu`)",
}
Load = Callable[[Path, str], ModuleType]


def tables(exercise: Exercise, load: Load) -> str:
    """The lesson's three tables: the gather, the scatters, and what the wrong one loses."""
    found = {name: _in_a_process(exercise, name) for name in NAMES}
    deterministic = found["solution"].pop("deterministic")
    times = {NAMES[name]: each["times"] for name, each in found.items()}
    times["deterministic mode: sort, then segments"] = deterministic
    times |= _of_pytorch()
    rows = [(name, *(f"{each:.3f} ms" for each in several)) for name, several in times.items()]
    scatters = record.table((f"{INDICES:,} indices, rows of {COLUMNS} float32, among", *AMONG), rows)
    kept = [(name, f"{share:.2%}") for name, share in zip(AMONG, found["lost"]["kept"], strict=True)]
    lost = record.table(("among", "ones that `lost.cu` keeps"), kept)
    return "\n\n".join((_gather(found["solution"]["gather"]), scatters, lost))


def _gather(own: float) -> str:
    """Forward: rows that are spread over the whole table."""
    indices, weight = _indices(ROWS), torch.rand(ROWS, COLUMNS, device="cuda")
    library = milliseconds(lambda: torch.nn.functional.embedding(indices, weight))
    moved = INDICES * (8 + 2 * 4 * COLUMNS)
    bandwidth = copy_bandwidth()
    zeros = milliseconds(lambda: torch.zeros_like(weight))
    rows = [
        ("least traffic of the gather", f"{moved / 1e6:.1f} MB"),
        ("floor: that traffic at the speed of a large copy", f"{moved / bandwidth:.4f} ms"),
        ("gather: the solution", f"{own:.4f} ms"),
        ("`torch.nn.functional.embedding(indices, weight)`", f"{library:.4f} ms"),
        (f"zeros for the gradient of {ROWS:,} rows", f"{zeros:.4f} ms"),
    ]
    return record.table(("what", "value"), rows)


def _of_pytorch() -> dict[str, list[float]]:
    """The same gradient by PyTorch: its embedding's backward, `index_add_`, and both under the compiler."""
    grad = torch.rand(INDICES, COLUMNS, device="cuda")

    def dense(indices: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.embedding_dense_backward(grad, indices, ROWS, -1, False)

    def added(indices: torch.Tensor) -> torch.Tensor:
        return torch.zeros(ROWS, COLUMNS, device="cuda").index_add_(0, indices, grad)

    ways = {
        "the backward of `torch.nn.functional.embedding`": dense,
        "the same under `torch.compile`": torch.compile(dense, dynamic=False),
        "`torch.zeros(...).index_add_(0, indices, grad)`": added,
    }
    return {name: [_time(way, rows) for rows in AMONG.values()] for name, way in ways.items()}


def _time(way: Callable[[torch.Tensor], torch.Tensor], rows: int) -> float:
    indices = _indices(rows)
    return milliseconds(lambda: way(indices))


def _indices(rows: int) -> torch.Tensor:
    generator = torch.Generator(device="cuda").manual_seed(0)
    return torch.randint(rows, (INDICES,), device="cuda", generator=generator)


def _in_a_process(exercise: Exercise, name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(shutil.copytree(exercise.solution_dir, Path(scratch) / name))
        if name != "solution":
            shutil.copyfile(SAMPLES / f"{name}.cu", copy / "kernel.cu")
        command = [sys.executable, __file__, str(copy)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])


def measure(folder: Path) -> dict[str, Any]:
    """The times of the submission in ``folder``, in this process."""
    from lessons import loaded

    loaded(folder, "timed_09")
    ops = torch.ops.embedding_table
    grad = torch.rand(INDICES, COLUMNS, device="cuda")
    weight = torch.rand(ROWS, COLUMNS, device="cuda")

    def backward(indices: torch.Tensor) -> torch.Tensor:
        return ops.embedding_backward(grad, indices, ROWS)

    spread = _indices(ROWS)
    found: dict[str, Any] = {
        "gather": milliseconds(lambda: ops.embedding(spread, weight, False)),
        "times": [_time(backward, rows) for rows in AMONG.values()],
    }
    torch.use_deterministic_algorithms(True)
    found["deterministic"] = [_time(backward, rows) for rows in AMONG.values()]
    torch.use_deterministic_algorithms(False)
    ones = torch.ones_like(grad)
    kept = [ops.embedding_backward(ones, _indices(rows), ROWS).double().sum() for rows in AMONG.values()]
    found["kept"] = [float(each) / ones.numel() for each in kept]
    return found


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
