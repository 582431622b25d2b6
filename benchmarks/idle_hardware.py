"""The measurement of lesson 18: its five kernels as the stub has them, and repaired.

Run as a program, with a folder that holds an op.py, it prints the milliseconds of each: no two libraries may
register the same operators, so the stub and the solution are timed in processes of their own.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import record
import torch
from device_clock import milliseconds

from grader.course.catalog import Exercise

ELEMENTS = 1 << 26
WIDTH = 1024
REFUSED = "refused"


def table(exercise: Exercise, load: Callable[[Path, str], ModuleType]) -> str:
    """18: a row for each kernel."""
    before, after = (_times(folder) for folder in (exercise.root, exercise.solution_dir))
    rows = []
    for (name, shape), old, new in zip(SHAPES.items(), before, after, strict=True):
        gain = "" if REFUSED in (old, new) else f"{float(old) / float(new):.2f}"
        cells = (each if each == REFUSED else f"{float(each):.4f} ms" for each in (old, new))
        rows.append((f"`{name}`, {shape}", *cells, gain))
    return record.table(("float32", "stub", "solution", "times as fast"), rows)


SHAPES = {
    "row_sums": f"{ELEMENTS // WIDTH:,} rows of 0 to {WIDTH:,}",
    "rotate": f"{ELEMENTS // WIDTH:,} × {WIDTH:,}",
    "smooth": f"{ELEMENTS:,}",
    "scale": f"{ELEMENTS:,}",
    "polynomial": f"{ELEMENTS:,}, 6 terms",
}


def _times(folder: Path) -> list[str]:
    command = [sys.executable, __file__, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-len(SHAPES) :]


def _calls(op: ModuleType) -> Iterator[Callable[[], object]]:
    """In the order of SHAPES."""
    x = torch.rand(ELEMENTS // WIDTH, WIDTH, device="cuda")
    lengths = torch.randint(0, WIDTH + 1, (x.shape[0],), device="cuda")
    angle = torch.rand(x.shape[0], WIDTH // 2, device="cuda")
    flat, coefficients = x.view(-1), torch.rand(6, device="cuda")
    yield lambda: op.row_sums(x, lengths)
    yield lambda: op.rotate(x, angle)
    yield lambda: op.smooth(flat)
    yield lambda: op.scale(flat, 0.5)
    yield lambda: op.polynomial(flat, coefficients)


def _timed(call: Callable[[], object]) -> str:
    try:
        call()
    except RuntimeError:
        return REFUSED
    return str(milliseconds(call))


def main() -> None:
    recipe = importlib.util.spec_from_file_location("timed_18", Path(sys.argv[1]) / "op.py")
    assert recipe is not None and recipe.loader is not None
    op = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(op)
    print(*(_timed(call) for call in _calls(op)))


if __name__ == "__main__":
    main()
