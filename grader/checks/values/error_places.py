"""Patterns in the positions of wrong elements: a tail, an edge, every n-th."""

from __future__ import annotations

import torch

from cusimt.profile.occupancy import WARP
from grader.checks.values.unwritten import LARGEST_BLOCK
from grader.checks.values.wrong_answer import MANY, Wrong
from grader.specification.vocabulary import FAR

TILE = 8  # the least that a tile or a block covers in a dimension, and what others are multiples of


def beyond_32_bits(wrong: Wrong) -> str:
    """Wrong only where an input's offset needs more than 31 bits, as with `int` or a 32-bit accessor."""
    for name, values in wrong.inputs:
        reach = zip(values.shape, values.stride(), strict=True)
        if values.shape != wrong.expected.shape or sum((size - 1) * step for size, step in reach) < FAR:
            continue
        offsets = _offsets(values)
        for power, kind in ((32, "an unsigned 32-bit integer"), (31, "a 32-bit integer")):
            if not bool((wrong.mask & (offsets < 1 << power)).any()):
                return (
                    f"All wrong elements read {name} beyond offset 2^{power}, which {kind} cannot hold: is "
                    "an index, a stride or an offset 32 bits wide?"
                )
    return ""


def _offsets(tensor: torch.Tensor) -> torch.Tensor:
    """The offset of each element from the first one, in elements."""
    offsets = torch.zeros((), dtype=torch.int64)
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        offsets = offsets.unsqueeze(-1) + torch.arange(size) * stride
    return offsets


def bytes_for_elements(wrong: Wrong) -> str:
    """``n`` bytes copied where ``n`` elements were meant: the first quarter of a float32 tensor is right."""
    size = wrong.got.element_size()
    first = wrong.total // size
    if size == 1 or first < MANY or wrong.count != wrong.total - first or bool(wrong.flat_mask[:first].any()):
        return ""
    return (
        f"Exactly the first {first} of {wrong.total} elements are right, one in {size}, and an element has "
        f"{size} bytes: is a number of elements given where one of bytes is wanted?"
    )


def a_region(wrong: Wrong) -> str:
    """Which part is wrong: the tail, one edge, every other element."""
    indices = wrong.flat_mask.nonzero().reshape(-1)
    first, last = int(indices[0]), int(indices[-1])
    if wrong.count == wrong.total:
        return "Every element is wrong." if wrong.total > 1 else ""
    if first > 0 and last == wrong.total - 1 and wrong.count == wrong.total - first:
        return _tail(wrong, first)
    edge = _edge(wrong)
    if edge:
        return edge
    if wrong.count >= MANY and bool((indices[1:] - indices[:-1] == 2).all()):
        return f"Every other element is wrong, from {first} on."
    are = "is" if wrong.count == 1 else "are"
    return f"{_at_the_ends(wrong, first, last)}{wrong.count} of {wrong.total} elements {are} wrong."


def _at_the_ends(wrong: Wrong, first: int, last: int) -> str:
    """Whether nothing but the first or last element is wrong, of enough to make that no coincidence."""
    ends = {(0, 0): "first element", (0, wrong.total - 1): "first and the last element"}
    which = ends.get((first, last), "") if wrong.count <= 2 and wrong.total >= MANY else ""
    if not which:
        return ""
    return f"Only the {which}: which neighbour does it read, and is it a special case of the index? "


def _tail(wrong: Wrong, first: int) -> str:
    """Everything from `first` on is wrong, and nothing before it."""
    columns = wrong.expected.shape[-1] if wrong.expected.ndim >= 2 else 1
    if columns > 1 and first == columns:
        return "Row 0 is right, and every later row is wrong: which width does the row's index use?"
    if columns > 1 and first % columns == 0:
        row = first // columns
        return _edge(wrong) or f"Rows 0 to {row - 1} are right; everything from row {row} on is wrong."
    right = "Element 0 is right" if first == 1 else f"Elements 0 to {first - 1} are right"
    partial = first % WARP == 0 and wrong.total % WARP and wrong.total - first < LARGEST_BLOCK
    blocks = ", a whole number of warps: look at the last, partial block" if partial else ""
    return f"{right}{blocks}; everything from {first} on is wrong."


def _edge(wrong: Wrong) -> str:
    if wrong.expected.ndim < 2:
        return ""
    mask = wrong.mask.reshape(-1, *wrong.mask.shape[-2:]).any(dim=0)
    rows, columns = mask.any(dim=1), mask.any(dim=0)
    for name, lines in (("row", rows), ("column", columns)):
        number = int(lines.sum())
        if 2 * number > lines.numel() or not bool(lines[-number:].all()):
            continue
        which = f"the last {name}" if number == 1 else f"the last {number} {name}s"
        partial = (lines.numel() - number) % TILE == 0
        where = ": look at the tiles or blocks that extend past the edge" if partial else ""
        return f"All wrong elements are in {which}{where}."
    return ""
