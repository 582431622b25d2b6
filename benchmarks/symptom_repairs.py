"""The times of 26: three operations with the repair of the cause, and with one of the symptom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import record
import torch
from device_clock import milliseconds, wall_milliseconds

from grader.course.catalog import Exercise

SIDE = 8192
LAYERS = 1 << 24


def table(exercise: Exercise, load: Callable[[Path, str], ModuleType]) -> str:
    """Milliseconds of a call: of the device or, where the host waits, of the host's clock."""
    op = load(exercise.solution_dir, "timed_26")
    matrix = torch.rand(SIDE, SIDE, device="cuda").t()
    vector = torch.rand(LAYERS, device="cuda")
    limit = torch.full((1,), 0.5, device="cuda")
    rows = [
        (f"`row_sums(x)`, x transposed, {SIDE} × {SIDE}", milliseconds(lambda: op.row_sums(matrix))),
        ("`row_sums(x.contiguous())`", milliseconds(lambda: op.row_sums(matrix.contiguous()))),
        (f"`clip(x, limit)`, {LAYERS:,} elements", wall_milliseconds(lambda: op.clip(vector, limit))),
        (
            "the same after `limit.item()`",
            wall_milliseconds(lambda: op.clip(vector, torch.full_like(limit, limit.item()))),
        ),
        (f"`silu_twice(x)`, {LAYERS:,} elements", milliseconds(lambda: op.silu_twice(vector))),
        ("two copies of a gate", milliseconds(lambda: [vector.clone(), vector.clone()])),
    ]
    return record.table(("call", "ms"), [(name, f"{time:.3f}") for name, time in rows])
