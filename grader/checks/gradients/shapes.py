"""Which tensors have the shapes that an error message of backward mentions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.checks.values.inputs import Inputs
from grader.run.values import RemoteError

_REFUSED = re.compile(
    r"invalid gradient at index \d+ - got \[(?P<got>[\d, ]*)\] but expected shape compatible with "
)
_SHAPE = re.compile(r"[\[(](\d+(?:, ?\d+)+)[\])]")


def transposed_in(message: str, shapes: Mapping[str, Sequence[int]]) -> str:
    """A sentence about the tensor that the message shows transposed, where that is one tensor only.

    ``shapes`` are those of all tensors that backward has at hand, by name.
    """
    known = {name: tuple(shape) for name, shape in shapes.items()}
    for match in _SHAPE.findall(message):
        shown = _extents(match)
        if shown in known.values():
            continue
        owners = [name for name, shape in known.items() if (*shape[:-2], *shape[:-3:-1]) == shown]
        if len(owners) == 1:
            return (
                f"[{', '.join(map(str, shown))}] is the shape of {owners[0]} transposed. Does it belong "
                "there, and are the saved tensors unpacked in the order in which they were saved?"
            )
    return ""


def with_owner(error: RemoteError, inputs: Inputs) -> RemoteError:
    """`error`, where autograd refused a gradient's shape, with the input that has this shape."""
    refused = _REFUSED.search(error.message)
    if refused is None:
        return error
    owners = [each.name for each in inputs.tensors() if each.spec.shape == _extents(refused["got"])]
    if len(owners) != 1:
        return error
    whose = f"[{refused['got']}] is the shape of {owners[0]}"
    advice = f"{whose}: return the gradients in the order of forward's inputs."
    return replace(error, message=f"{error.message.rstrip('.')}. {advice}")


def _extents(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(",") if each.strip())
