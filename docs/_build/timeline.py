"""When the host queued what, and when the device did it: the solution of 05 traced on the simulated GPU."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from diagram import Diagram
from simulated import told_by

CELLS = 1 << 19
RINGS = 3
QUEUEING = 1.5  # microseconds that the model lets the host spend on each
# Runs in a process of its own: one call, then the records of its copies and launches.
_TRACE = f"""
import json, runpy
from cusimt import activate
activate.activate()
import torch
from cusimt.records import take_records
call = runpy.run_path("op.py")["diffuse_"]
call([torch.zeros(1, device="cuda")], 0.25)  # the first call builds and loads
rings = [torch.zeros({CELLS}, device="cuda") for _ in range({RINGS})]
torch.cuda.synchronize()
take_records("launches"), take_records("api_calls")
call(rings, 0.25)
print(json.dumps([take_records("api_calls"), take_records("launches")]))
"""


class Work(NamedTuple):
    """A copy or a launch: its stream, and when it was queued, began and ended, in microseconds."""

    what: str
    stream: int
    queued: float
    begin: float
    end: float


def streams_side_by_side() -> Diagram:
    """05: three rings on streams of their own, and the same work on one stream."""
    apart = _traced()
    alone = _on_one_stream(apart)
    end = max(work.end for work in (*apart, *alone))
    height = 34 * (RINGS + 3) + 108
    canvas = Diagram(
        "streams-side-by-side", 720, height, "Three rings on one stream, and on streams of their own",
        f"Time goes from left to right, in simulated microseconds. Above, copies and kernels of {RINGS} "
        f"rings follow one another on one stream and end after {max(work.end for work in alone):.1f} "
        "microseconds. Below, the host queues the same work for a stream each, one after the other; the "
        f"streams work at the same time and end after {max(work.end for work in apart):.1f} microseconds. "
        "In both the host is done with queueing before the device is done with the work.",
    )  # fmt: skip
    y = 24.0
    for title, works in (("one stream", alone), ("a stream for each ring", apart)):
        canvas.text(10, y, title, "strong")
        y = _panel(canvas, works, y + 10, 600 / end)
    for tick in range(0, int(end) + 1, 4):
        canvas.text(104 + tick * 600 / end, y + 12, f"{tick}", "middle small")
    canvas.text(710, y + 28, "simulated µs", "end small")
    return canvas


def _panel(canvas: Diagram, works: Sequence[Work], top: float, scale: float) -> float:
    """One row for the host, one for each stream; returns where it ends."""
    streams = list(dict.fromkeys(work.stream for work in works))
    canvas.text(96, top + 18, "host", "end small")
    canvas.line([(104, top + 26), (704, top + 26)], "line dashed")
    for number, stream in enumerate(streams, 1):
        canvas.text(96, top + 34 * number + 19, f"stream {number}", "end small")
        canvas.line([(104, top + 34 * number + 29), (704, top + 34 * number + 29)], "line dashed")
        for work in works:
            if work.stream == stream:
                kind = "c" if work.what == "copy" else "a"
                x, width = 104 + work.begin * scale, (work.end - work.begin) * scale
                canvas.box(x, top + 34 * number + 2, width, 25, work.what, kind, begin=f"{work.begin:.1f}")
    for work in works:
        kind = "c" if work.what == "copy" else "a"
        canvas.box(104 + (work.queued - QUEUEING) * scale + 1, top + 4, QUEUEING * scale - 2, 20, "", kind)
    return top + 34 * (len(streams) + 1) + 18


def _on_one_stream(works: Sequence[Work]) -> list[Work]:
    """The same work, queued at the same times, each piece beginning when the one before has ended."""
    found: list[Work] = []
    for work in works:
        begin = max(work.queued, found[-1].end if found else 0.0)
        found.append(work._replace(stream=0, begin=begin, end=begin + work.end - work.begin))
    return found


@functools.cache
def _traced() -> tuple[Work, ...]:
    """What one call of the solution did, from its first queueing on."""
    copies, launches = told_by(_TRACE, "05")
    works = [_work("copy", each) for each in copies if each["kind"] == "d2d"]
    works += [_work("step", each) for each in launches]
    first = min(work.queued for work in works) - QUEUEING
    moved = [
        work._replace(queued=work.queued - first, begin=work.begin - first, end=work.end - first)
        for work in works
    ]
    return tuple(sorted(moved, key=lambda work: work.queued))


def _work(what: str, record: dict[str, Any]) -> Work:
    return Work(what, record["stream"], record["queued_us"], record["begin_us"], record["end_us"])
