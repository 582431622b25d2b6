"""Lesson 07: what autograd records of a forward pass, and the gradients that pass through the record.

The shapes are those that docs/samples/autograd_function/tape.py printed on the simulated GPU: tape.txt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from diagram import Diagram
from steps import step_list

RECORD = Path(__file__).resolve().parent.parent / "samples" / "autograd_function" / "tape.txt"
_LINE = re.compile(r"(?P<kind>forward|backward|gradient) (?P<name>\w+) (?P<result>\w+ )?(?P<layout>\(.*)")
_LEFT, _COLUMN, _BOX = 84, 148, 132


@dataclass(frozen=True)
class Entry:
    """A line of the record: ``name`` is that of a node, of a gradient that of its tensor."""

    kind: str
    name: str
    result: str  # of a forward step
    shape: str
    strides: str


def record() -> list[Entry]:
    """What the program printed, in its order."""
    found = [_LINE.fullmatch(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]
    return [_entry(match) for match in found if match is not None]


def _entry(match: re.Match[str]) -> Entry:
    shape, _, strides = match["layout"].partition(" strides ")
    return Entry(match["kind"], match["name"], (match["result"] or "").strip(), shape, strides)


def tape() -> Diagram:
    """07: values above, the node that each leaves in the record, and the gradient that arrives there."""
    entries = record()
    forward = [each for each in entries if each.kind == "forward"]
    canvas = Diagram(
        "tape", _LEFT + 4 * _COLUMN, 236, "The record of a forward pass, and what passes through it in backward",
        "Forward goes from left to right: "
        + "; ".join(f"{each.result} of shape {each.shape} leaves {each.name}" for each in forward)
        + ". Backward goes from right to left: "
        + "; ".join(_arrival(each) for each in entries if each.kind != "forward")
        + ".",
    )  # fmt: skip
    for y, label in ((34, "value"), (106, "record"), (184, "gradient")):
        canvas.text(8, y + 5, label, "strong")
    shapes = {each.name: each.shape for each in entries if each.kind == "gradient"}
    for row, (name, shape) in enumerate(shapes.items()):
        canvas.box(_LEFT, 12 + row * 26, _BOX, 22, f"{name} {shape}", "a", mono=True)
    for index, entry in enumerate(entries):
        _draw(canvas, entry, index, [each.name for each in forward])
    for column in range(3):
        x = _LEFT + (column + 1) * _COLUMN
        canvas.arrow([(x - 14, 35), (x - 2, 35)])
        canvas.arrow([(x - 2, 188), (x - 14, 188)])
        canvas.line([(x + _BOX / 2, 60), (x + _BOX / 2, 88)], "line dashed")
        canvas.arrow([(x + _BOX / 2, 164), (x + _BOX / 2, 130)])
    return canvas


def _draw(canvas: Diagram, entry: Entry, index: int, nodes: list[str]) -> None:
    facts = {"begin": index, "end": index + 1}
    if entry.kind == "forward":
        x = _LEFT + (nodes.index(entry.name) + 1) * _COLUMN
        canvas.box(x, 12, _BOX, 48, f"{entry.result}\n{entry.shape}", "c", mono=True, **facts)
        canvas.box(x, 88, _BOX, 42, entry.name.replace("Backward", "\nBackward"), "box", mono=True, **facts)
    elif entry.kind == "backward":
        x = _LEFT + (nodes.index(entry.name) + 1) * _COLUMN
        strides = f"\nstrides {entry.strides}" if entry.shape != "()" else ""
        canvas.box(x, 164, _BOX, 48, f"{entry.shape}{strides}", "d", mono=True, **facts)
    else:
        y = 164 if entry.name == "x" else 190
        canvas.box(_LEFT, y, _BOX, 22, f"{entry.name} {entry.shape}", "d", mono=True, **facts)


def _arrival(entry: Entry) -> str:
    what = f"shape {entry.shape} with strides {entry.strides}"
    return f"{entry.name} gets {what}" if entry.kind == "backward" else f"the gradient of {entry.name} has {what}"


# ---- the same in words, step by step ----------------------------------------------------------------------


def in_words() -> str:
    """A sentence or two for each line of the record."""
    return step_list("Step", (f"<p>{_sentence(each)}</p>" for each in record()))


_REASONS = {
    "AddBackward0": "bias was read once for each of the three rows.",
    "TanhBackward0": "Its node keeps out, which its derivative 1 − out² needs.",
    "SumBackward0": "All twelve elements are added.",
}
_PASSED_ON = {
    "SumBackward0": "It is 1, the derivative of loss with respect to itself, and is expanded to twelve elements.",
    "TanhBackward0": (
        "In memory that is one number, which serves as all twelve. A kernel that takes this memory for "
        "dense reads beyond it. Multiplied by 1 − out², the gradient is passed on."
    ),
    "AddBackward0": "It is passed on unchanged, once to x and once to bias.",
    "x": "Nothing has to be added: x was not broadcast.",
    "bias": "Forward copied bias to three rows, so the gradients of these rows were added.",
}


def _sentence(entry: Entry) -> str:
    name, shape, strides = escape(entry.name), escape(entry.shape), escape(entry.strides)
    if entry.kind == "forward":
        text = f"<strong>Forward.</strong> {entry.result} has shape {shape}, and leaves {name} in the record."
        return f"{text} {_REASONS[entry.name]}"
    if entry.kind == "backward":
        laid_out = f"shape {shape}" + (f" and strides {strides}" if shape != "()" else "")
        text = f"<strong>Backward.</strong> {name} gets a gradient of {laid_out}."
        return f"{text} {_PASSED_ON[entry.name]}"
    return f"<strong>Backward.</strong> The gradient of {name} has shape {shape}. {_PASSED_ON[entry.name]}"
