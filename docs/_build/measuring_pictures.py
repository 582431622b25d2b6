"""11: one call timed in three ways, on the simulated GPU: what host and device did, and what was measured."""

from __future__ import annotations

import functools
from typing import Any

from diagram import Diagram
from simulated import told_by

LONG, SMALL, KERNELS = 150, 8, 4  # microseconds of the device, and how many small ones a call launches
PYTHON = 20  # microseconds of the host before each launch
AHEAD = 120
# Runs in a process of its own. Every piece of work is queued between two events, and the host's clock is read
# before and after; one event at the beginning turns all of it into microseconds since then.
_TRACE = f"""
import json
from cusimt.activate import activate
activate()
import torch
from cusimt.counters.host_clock import HostClock

clock = HostClock()
buffer = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
def event():
    found = torch.cuda.Event(enable_timing=True)
    found.record()
    return found
def spin(microseconds):
    torch.cuda._sleep(int(microseconds * 1980))
def traced(pieces):
    torch.cuda.synchronize()
    origin, zero, found = event(), clock.seconds(), []
    for what, python, work in pieces:
        begun = clock.seconds()
        if python:
            clock.work(python)
        first = event()
        work()
        found.append((what, begun, clock.seconds(), first, event()))
    torch.cuda.synchronize()
    return [
        (what, (begun - zero) * 1e6, (ended - zero) * 1e6, origin.elapsed_time(one) * 1e3,
         origin.elapsed_time(other) * 1e3)
        for what, begun, ended, one, other in found
    ]
small = [("call", {PYTHON}, lambda: spin({SMALL}))] * {KERNELS}
ahead = [("hold", 0, lambda: spin({AHEAD})), ("empty L2", 0, lambda: buffer.zero_())]
long = [("call", {PYTHON}, lambda: spin({LONG}))]
print(json.dumps([traced(long), traced(small), traced(ahead + small)]))
"""
LEFT, SCALE = 88, 2.38  # pixels: where time 0 is, and those of a microsecond
TITLES = (
    "the host's clock around a call, without synchronisation",
    "two events around a call of four small kernels",
    "the same call, queued behind a kernel that holds the device",
)


def three_ways() -> Diagram:
    """The clock that shows the launch, the events that show the host, and the head start."""
    panels = _traced()
    measured = [_host_span(panels[0]), _device_span(panels[1]), _device_span(panels[2])]
    canvas = Diagram(
        "three-ways", 720, 424, "One call, timed in three ways",
        "Time goes from left to right, in simulated microseconds; each panel has a row for the host and one "
        f"for the device. First: the host's clock, read before and after the call, shows {measured[0]:.0f} "
        f"microseconds, but the kernel runs for {LONG}. Second: four kernels of {SMALL} microseconds, which the "
        f"host takes {PYTHON} microseconds each to launch. The device waits between them, and two events show "
        f"{measured[1]:.0f} microseconds. Third: the host queues the same call while a kernel holds the device "
        f"and L2 is emptied. The four kernels follow one another, and the events show {measured[2]:.0f}.",
    )  # fmt: skip
    y = 22.0
    for title, panel, span, by_events in zip(TITLES, panels, measured, (False, True, True), strict=True):
        canvas.text(10, y, title, "strong")
        _panel(canvas, panel, y + 8, span, by_events)
        y += 134
    for tick in range(0, 201, 40):
        canvas.text(LEFT + tick * SCALE, 414, f"{tick}", "middle small")
    canvas.text(712, 414, "µs", "end small")
    return canvas


def _panel(canvas: Diagram, pieces: list[Any], top: float, measured: float, by_events: bool) -> None:
    for row, name in enumerate(("host", "device")):
        canvas.text(LEFT - 8, top + 20 + 36 * row, name, "end")
        canvas.line([(LEFT, top + 32 + 36 * row), (712, top + 32 + 36 * row)], "line dashed")
    for what, begun, ended, first, last in pieces:
        kind = "a" if what == "call" else "d"
        canvas.box(LEFT + begun * SCALE, top + 8, (ended - begun) * SCALE - 1, 20, "", kind)
        width = (last - first) * SCALE
        label = "" if width < 60 else "kernel" if what == "call" else what
        canvas.box(LEFT + first * SCALE, top + 44, width - 1, 20, label, kind)
    own = [piece for piece in pieces if piece[0] == "call"]
    begin, end = (own[0][3], own[-1][4]) if by_events else (own[0][1], own[-1][2])
    if by_events and len(pieces) == len(own):
        begin = 0.0  # the first event finds an idle device, which passes it at once
    y = top + 84
    for x in (begin, end):
        canvas.line([(LEFT + x * SCALE, top + 4), (LEFT + x * SCALE, y + 4)], "line b")
    canvas.line([(LEFT + begin * SCALE, y), (LEFT + end * SCALE, y)], "line b")
    label = f"measured: {measured:.0f} µs"
    if end * SCALE > 480:
        canvas.text(LEFT + begin * SCALE - 6, y + 4, label, "end small b")
    else:
        canvas.text(LEFT + end * SCALE + 6, y + 4, label, "small b")


def _host_span(pieces: list[Any]) -> float:
    return float(pieces[-1][2] - pieces[0][1])


def _device_span(pieces: list[Any]) -> float:
    own = [piece for piece in pieces if piece[0] == "call"]
    begin = own[0][3] if len(own) < len(pieces) else 0.0
    return float(own[-1][4] - begin)


@functools.cache
def _traced() -> tuple[list[Any], ...]:
    """For each way: what, begin and end on the host, begin and end on the device."""
    return tuple(told_by(_TRACE))
