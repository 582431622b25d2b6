"""11: what is allocated while bias + GELU runs, unfused and fused, as the simulated device's allocator counts it."""

from __future__ import annotations

import functools
from typing import NamedTuple

from diagram import Diagram
from simulated import told_by

SIDE = 4096  # x is SIDE x SIDE float32
# Runs in a process of its own: the statistics after each step, in bytes, of both ways.
_TRACE = f"""
import json
from cusimt.activate import activate
activate()
import torch
x, bias = torch.zeros({SIDE}, {SIDE}, device="cuda"), torch.zeros({SIDE}, device="cuda")
start = torch.cuda.memory_allocated()
def now():
    return [torch.cuda.memory_allocated(), torch.cuda.memory_reserved()]
def measured(steps):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before, names, found = torch.cuda.memory_allocated(), {{}}, [now()]
    for step in steps:
        step(names)
        found.append(now())
    return found, torch.cuda.max_memory_allocated() - before
def add(names): names["z"] = x + bias
def gelu(names): names["out"] = names["z"].abs()  # as large as any result
def free(names): del names["z"]
def fused(names): names["out"] = torch.empty_like(x)
print(json.dumps([measured([add, gelu, free]), measured([fused])]))
"""
MIB = 1 << 20
FLOOR, SCALE, WIDTH = 196, 0.72, 96  # pixels: where 0 bytes are, a mebibyte, and a column


class Way(NamedTuple):
    """The allocated and reserved MiB after each step, and the peak beyond what was there before."""

    steps: list[tuple[int, int]]
    peak: int


def allocated_over_time() -> Diagram:
    """The tensors that exist after each step, the peak, and what stays reserved."""
    unfused, fused = _traced()
    canvas = Diagram(
        "allocated-over-time", 720, 250, "Allocated memory, unfused and fused",
        f"Columns show which tensors exist after each step, in MiB. Unfused: x with {unfused.steps[0][0]}; then "
        f"x + bias, {unfused.steps[1][0]}; then the result, too, {unfused.steps[2][0]}; then x + bias is freed, "
        f"{unfused.steps[3][0]} are allocated, and {unfused.steps[3][1]} stay reserved. The peak is "
        f"{unfused.peak} MiB above x. Fused: x, then x and the result, {fused.steps[1][0]}; the peak is "
        f"{fused.peak} MiB above x.",
    )  # fmt: skip
    names = (("x",), ("x", "x + bias"), ("x", "x + bias", "result"), ("x", "", "result"))
    _columns(canvas, 44, "unfused", unfused, names, ("before", "z = x + bias", "gelu(z)", "z freed"))
    _columns(canvas, 500, "fused", fused, (("x",), ("x", "result")), ("before", "bias_gelu(x, bias)"))
    return canvas


def _columns(
    canvas: Diagram,
    left: float,
    title: str,
    way: Way,
    names: tuple[tuple[str, ...], ...],
    labels: tuple[str, ...],
) -> None:
    block = way.steps[0][0]  # all tensors but the bias are as large as x
    canvas.text(left, 22, title, "strong")
    for column, (tensors, label) in enumerate(zip(names, labels, strict=True)):
        x = left + column * WIDTH
        for level, name in enumerate(tensors):
            height = block * SCALE
            kind = {"x": "box", "x + bias": "d", "result": "a"}.get(name, "hollow")
            canvas.box(x, FLOOR - (level + 1) * height, WIDTH - 10, height - 2, name or "reserved", kind)
        canvas.text(x + (WIDTH - 10) / 2, FLOOR + 18, label, "middle small")
        canvas.text(x + (WIDTH - 10) / 2, FLOOR + 36, f"{way.steps[column][0]} MiB", "middle small")
    bottom, top = FLOOR - block * SCALE, FLOOR - (block + way.peak) * SCALE
    edge = left + len(names) * WIDTH - 4
    canvas.line([(edge - 2, bottom), (edge + 6, bottom)], "line b")
    canvas.line([(edge - 2, top), (edge + 6, top)], "line b")
    canvas.line([(edge + 2, bottom), (edge + 2, top)], "line b")
    canvas.text(edge - 4, 34, f"peak: {way.peak} MiB", "end small b")


@functools.cache
def _traced() -> tuple[Way, Way]:
    unfused, fused = (
        Way([(round(one / MIB), round(other / MIB)) for one, other in steps], round(peak / MIB))
        for steps, peak in told_by(_TRACE)
    )
    return unfused, fused
