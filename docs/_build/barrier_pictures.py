"""Lesson 15: what each of two warps does between the barriers, in a picture and in words."""

from __future__ import annotations

from html import escape

from barrier_model import EMPTY, END, TRACES, WARPS, Step, Trace

from diagram import Diagram
from steps import step_list

_LEFT, _UNIT, _ROW, _TOP = 100, 38, 26, 30
_PANEL = 2 * WARPS * _ROW + 44
_TINTS = {EMPTY: "hollow", 0: "a", 1: "d"}  # by round
_NAMES = {EMPTY: "–", 0: "0", 1: "1"}


def two_barriers() -> Diagram:
    """15: the same loop with both barriers, and with either of them missing."""
    canvas = Diagram(
        "two-barriers", _LEFT + END * _UNIT + 8, _TOP + len(TRACES) * _PANEL + 46,
        "Two warps, two barriers, and what happens when one is missing",
        "Three panels, each with the steps of a slow warp 0 and a fast warp 1 over time, and below them what "
        "the two rows of b's tile hold. With both barriers, every multiplication finds the elements of its own "
        "round. "
        + " ".join(_mistakes(trace) for trace in TRACES[1:]),
    )  # fmt: skip
    for number, trace in enumerate(TRACES):
        _panel(canvas, trace, _TOP + number * _PANEL)
    y = _TOP + len(TRACES) * _PANEL + 4
    canvas.text(8, y, "L: load the warp's row. ×0, ×1: multiply with row 0, row 1. Empty box: wait.", "small")
    canvas.text(8, y + 17, "✗0, ✗1: multiply with elements of a wrong round. Dashed: a barrier.", "small")
    canvas.text(
        8, y + 34, "row 0, row 1 of the tile: the round whose elements they hold, or – for nothing yet.", "small"
    )
    return canvas


def _panel(canvas: Diagram, trace: Trace, top: float) -> None:
    canvas.text(8, top - 10, trace.title, "strong")
    for warp in range(WARPS):
        y = top + warp * _ROW
        canvas.text(_LEFT - 8, y + 16, f"warp {warp}", "end small")
        for step in trace.steps:
            if step.warp == warp:
                _draw(canvas, step, y)
    for row in range(WARPS):
        y = top + (WARPS + row) * _ROW + 6
        canvas.text(_LEFT - 8, y + 16, f"row {row}", "end small")
        for time in range(END):
            held = trace.held(row, time)
            place = _LEFT + time * _UNIT, y
            canvas.box(*place, _UNIT - 2, _ROW - 4, _NAMES[held], _TINTS[held], begin=time, end=time + 1)
    for time in trace.meetings:
        x = _LEFT + time * _UNIT - 1
        canvas.line([(x, top - 5), (x, top + WARPS * _ROW)], "line dashed")


def _draw(canvas: Diagram, step: Step, y: float) -> None:
    x, width = _LEFT + step.begin * _UNIT, (step.end - step.begin) * _UNIT - 2
    facts = {"begin": step.begin, "end": step.end}
    if step.kind == "wait":
        for time in range(step.begin, step.end):
            place = _LEFT + time * _UNIT, y
            canvas.box(*place, _UNIT - 2, _ROW - 4, "", "hollow", begin=time, end=time + 1)
    elif step.kind == "load":
        canvas.box(x, y, width, _ROW - 4, "L", _TINTS[step.round], **facts)
    else:
        label = f"✗{step.row}" if step.wrong else f"×{step.row}"
        canvas.box(x, y, width, _ROW - 4, label, "b" if step.wrong else _TINTS[step.round], **facts)


def _mistakes(trace: Trace) -> str:
    found = "; ".join(
        f"at time {step.begin}, warp {step.warp} multiplies in round {step.round} with row {step.row}, "
        + "which holds "
        + ("nothing yet" if step.read == EMPTY else f"elements of round {step.read}")
        for step in trace.steps
        if step.wrong
    )
    return f"{trace.title.capitalize()}: {found}."


# ---- the same in words, step by step ----------------------------------------------------------------------


def in_words() -> str:
    """A step for each point in time."""
    return step_list("Time", (_item(time) for time in range(END)))


def _item(time: int) -> str:
    lines = (
        f"<p><strong>{escape(trace.title.capitalize())}.</strong> {_sentence(trace, time)}</p>"
        for trace in TRACES
    )
    return "".join(lines)


def _sentence(trace: Trace, time: int) -> str:
    doing = "; ".join(_doing(trace.at(warp, time), warp) for warp in range(WARPS))
    rows = "; ".join(f"row {row} holds {_content(trace.held(row, time))}" for row in range(WARPS))
    return f"{doing[0].upper()}{doing[1:]}. In the tile, {rows}."


def _content(held: int) -> str:
    return "nothing yet" if held == EMPTY else f"round {held}"


def _doing(step: Step | None, warp: int) -> str:
    if step is None or step.kind == "wait":
        return f"warp {warp} waits"
    if step.kind == "load":
        return f"warp {warp} loads row {step.row} for round {step.round}"
    said = f"warp {warp} multiplies in round {step.round} with row {step.row}"
    if not step.wrong:
        return said
    if step.read == EMPTY:
        return f"{said}, <strong>which holds nothing yet</strong>"
    if step.read < step.round:
        return f"{said}, <strong>which still holds round {step.read}</strong>"
    return f"{said}, <strong>which is overwritten for round {step.read} meanwhile</strong>"
