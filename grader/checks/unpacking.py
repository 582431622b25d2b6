"""What Python says where two sides of an assignment, or autograd and a backward, count differently: by the
line that it happened in, what has that many values. And what autograd says of a gradient in a wrong place.
"""

from __future__ import annotations

import re
from pathlib import Path

from cusimt.support.words import counted
from grader.compilation.diagnostics import line_of

_UNPACKS = re.compile(r"(?:not enough|too many) values to unpack \(expected \d+")
# For an operator, PyTorch adds a value of its own to both counts.
OTHER_NUMBER = re.compile(r"incorrect number of gradients \(expected (?P<needed>\d+), got (?P<given>\d+)\)")
_NOT_NONE = re.compile(r"returned a gradient different than None at position (?P<place>\d+)")
_TUPLE = re.compile(r"Expected a value of type 'Tensor\??' .*found type 'tuple'|must be Tensor, not tuple")
_OPERATOR = "An operator returns as many values as its schema has."
# What is unpacked, by a word of the line, the most particular first.
_SOURCES = {
    "needs_input_grad": (
        "ctx.needs_input_grad has an entry for each argument that the call passed on, without those at the "
        "end that have their default value: read it by position."
    ),
    "saved_tensors": "ctx.saved_tensors has what save_for_backward was given, in that order.",
    "inputs": "inputs has a value for each argument of the operator, also for those that a call leaves out.",
    "_?ops": _OPERATOR,
}
_ANY = f"ctx.saved_tensors has what save_for_backward was given, in that order. {_OPERATOR}"


def advice(message: str, where: str, files: Path) -> str:
    """A sentence or two on what has to agree; ``""`` for other messages. ``where`` is ``FILE:LINE`` or empty,
    of a file in `files`.
    """
    if _UNPACKS.search(message):
        name, _, number = where.rpartition(":")
        line = line_of(files / name, int(number)) if number.isdigit() else ""
        source = next((said for word, said in _SOURCES.items() if re.search(rf"\b{word}\b", line)), _ANY)
        return f"An unpacking needs a name for each value. {source}"
    if found := OTHER_NUMBER.search(message):
        return too_many_or_few(int(found["needed"]) - int(found["given"]))
    if found := _NOT_NONE.search(message):
        return (
            f"Counted from 1, the argument of forward at position {found['place']} is no tensor: None "
            "belongs there in what backward returns."
        )
    if _TUPLE.search(message):
        return "A tuple is no tensor: unpack it. ctx.saved_tensors is a tuple, even of a single tensor."
    return ""


def too_many_or_few(missing: int) -> str:
    """Of the gradients that a backward returns; ``missing`` is below 0 where they are too many."""
    return (
        f"backward returns {counted(abs(missing), 'gradient')} too "
        f"{'few' if missing > 0 else 'many'}. It returns one for each argument, in their order, and None for "
        "an argument that has none, such as a number or a flag."
    )
