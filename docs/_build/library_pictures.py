"""Lesson 22: rows that a library reads as columns, and calls on a timeline."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from diagram import Diagram
from simulated import told_by

GRAPHS = 4
_KINDS = {"own kernel": "a", "CUB": "b", "cuBLAS": "c", "cuSPARSE": "box"}
_HOST = 1.5  # microseconds that the model lets the host spend on each call
# Runs in a process of its own: the layer for all graphs at once, and for one after the other.
_TRACE = f"""
import json, runpy
from cusimt import activate
activate.activate()
import torch
from cusimt.records import take_records
call = runpy.run_path("op.py")["graph_layer"]
rows, columns = (torch.arange(160, dtype=torch.int32, device="cuda") // 4 for _ in range(2))
values, x, weight = (torch.ones(size, device="cuda") for size in ((160,), ({GRAPHS}, 40, 16), (16, 12)))
found = []
for parts in ([x], [x], x.split(1)):  # the first call builds and loads
    torch.cuda.synchronize()
    take_records("launches"), take_records("api_calls")
    for part in parts:
        call(rows, columns, values, part, weight)
    found.append([take_records("api_calls"), take_records("launches")])
print(json.dumps(found[1:]))
"""


class Work(NamedTuple):
    what: str
    queued: float
    begin: float
    end: float


def rows_as_columns() -> Diagram:
    """22: the same six numbers, row by row for PyTorch, column by column for cuBLAS."""
    rows, columns, cell = 2, 3, 44
    numbers = [f"{row}{column}" for row in range(rows) for column in range(columns)]
    canvas = Diagram(
        "rows-as-columns", 640, 250, "One piece of memory, read by rows and by columns",
        f"A matrix of {rows} rows and {columns} columns in row-major order: its rows follow one another in memory, "
        f"{' '.join(numbers)}. A library that reads column by column, with a leading dimension of {columns}, finds a "
        f"matrix of {columns} rows and {rows} columns in the same memory: the transpose.",
    )  # fmt: skip
    canvas.text(20, 28, "memory", "strong")
    for place, number in enumerate(numbers):
        canvas.box(120 + place * cell, 10, cell - 4, 28, number, "ab"[place // columns])
    canvas.text(20, 84, "PyTorch, by rows:", "strong")
    canvas.text(20, 102, f"{rows} × {columns}, stride {columns}", "small")
    canvas.text(350, 84, "cuBLAS, by columns:", "strong")
    canvas.text(350, 102, f"{columns} × {rows}, leading dimension {columns}", "small")
    for place, number in enumerate(numbers):
        row, column = divmod(place, columns)
        canvas.box(40 + column * cell, 118 + row * 36, cell - 4, 30, number, "ab"[row])
        canvas.box(380 + row * cell, 118 + column * 36, cell - 4, 30, number, "ab"[row])
    canvas.text(20, 242, "Nothing is moved: read by columns, a row-major matrix is its transpose.", "small")
    return canvas


def calls_on_a_timeline() -> Diagram:
    """22: a batch in one call of the layer, and in a call for each graph."""
    together, apart = _traced()
    end = max(work.end for work in (*together, *apart))
    canvas = Diagram(
        "calls-on-a-timeline", 720, 300, "A batch in one call, and a call for each graph",
        f"Time goes from left to right, in simulated microseconds. Above, the layer is called once for {GRAPHS} "
        f"graphs: {len(together)} pieces of work, done after {max(work.end for work in together):.0f} microseconds. "
        f"Below, it is called for one graph after the other: {len(apart)} pieces of work, done after "
        f"{max(work.end for work in apart):.0f} microseconds. In both the host only queues, and never waits.",
    )  # fmt: skip
    y = 24.0
    for title, works in ((f"{GRAPHS} graphs in one call", together), ("a call for each graph", apart)):
        canvas.text(10, y, title, "strong")
        y = _panel(canvas, works, y + 10, 600 / end)
    for tick in range(0, int(end) + 1, 10):
        canvas.text(104 + tick * 600 / end, y + 8, f"{tick}", "middle small")
    canvas.text(96, y + 8, "µs", "end small")
    for place, (name, kind) in enumerate(_KINDS.items()):
        canvas.box(104 + 130 * place, y + 16, 16, 16, "", kind)
        canvas.text(126 + 130 * place, y + 28, name, "small")
    return canvas


def _panel(canvas: Diagram, works: Sequence[Work], top: float, scale: float) -> float:
    """One row for the host, one for the device; returns where it ends."""
    for number, name in enumerate(("host", "device")):
        canvas.text(96, top + 34 * number + 19, name, "end small")
        canvas.line([(104, top + 34 * number + 29), (704, top + 34 * number + 29)], "line dashed")
    for work in works:
        x, width = 104 + work.begin * scale, (work.end - work.begin) * scale
        name = work.what if width > 9 * len(work.what) else ""
        canvas.box(104 + (work.queued - _HOST) * scale, top + 4, _HOST * scale, 22, "", _KINDS[work.what])
        canvas.box(x, top + 36, width, 24, name, _KINDS[work.what], begin=f"{work.begin:.1f}")
    return top + 34 * 3


@functools.cache
def _traced() -> tuple[tuple[Work, ...], tuple[Work, ...]]:
    together, apart = (_works(*each) for each in told_by(_TRACE, "22"))
    return together, apart


def _works(calls: list[dict[str, object]], launches: list[dict[str, object]]) -> tuple[Work, ...]:
    """Library calls and launches in the order of the stream, from the first queueing on."""
    named = [(str(each["call"]).partition(" ")[0], each) for each in calls if each["kind"] == "library"]
    named += [("CUB" if str(each["kernel"]).startswith("cub::") else "own kernel", each) for each in launches]
    named.sort(key=lambda each: float(str(each[1]["begin_us"])))
    first = float(str(named[0][1]["queued_us"])) - _HOST
    return tuple(
        Work(name, *(float(str(each[key])) - first for key in ("queued_us", "begin_us", "end_us")))
        for name, each in named
    )
