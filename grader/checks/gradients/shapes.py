"""What the shapes in an error message of backward say: whose they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_SHAPE = re.compile(r"[\[(](\d+(?:, ?\d+)+)[\])]")


def transposed_in(message: str, shapes: Mapping[str, Sequence[int]]) -> str:
    """A sentence about the tensor that the message shows transposed, where that is one tensor only.

    ``shapes`` are those of all tensors that backward has at hand, by name.
    """
    known = {name: tuple(shape) for name, shape in shapes.items()}
    for match in _SHAPE.findall(message):
        shown = tuple(int(each) for each in match.split(","))
        if shown in known.values():
            continue
        owners = [name for name, shape in known.items() if (*shape[:-2], *shape[:-3:-1]) == shown]
        if len(owners) == 1:
            return (
                f"[{', '.join(map(str, shown))}] is the shape of {owners[0]} transposed. Does it belong "
                "there, and are the saved tensors unpacked in the order in which they were saved?"
            )
    return ""
