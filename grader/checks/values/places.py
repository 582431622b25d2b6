"""Patterns of where an answer is wrong: unwritten memory, a tail, an edge."""

from __future__ import annotations

import torch

from grader.checks.values.wrong import MANY, Wrong
from grader.profile.occupancy import WARP
from grader.spec.vocabulary import FAR

TILE = 8  # the least that a tile or a block covers in a dimension, and what others are multiples of
POISON = 0xA5  # fills fresh device memory on simt
LARGEST_BLOCK = 1024
MANY_THREADS = 1 << 16  # of a launch: rounding the number of blocks down leaves out less than a block


def never_written(wrong: Wrong) -> str:
    raw = wrong.got.contiguous().reshape(-1).view(torch.uint8).reshape(wrong.total, -1)
    filled = (raw == POISON).all(dim=1)
    untouched, whole = filled & wrong.flat_mask, bool(filled.all())
    number = int(untouched.sum())
    if number == 0 or wrong.got.dtype == torch.bool:
        return ""
    if raw.shape[1] == 1 and 2 * number < wrong.count:
        return ""  # of bytes, some happen to be the pattern
    fill = f"the fill pattern 0x{POISON:X} of fresh device memory"
    if wrong.written:
        which = "Every element was" if whole else f"{number} of {wrong.total} elements were"
        return f"{which} computed from uninitialised memory: {fill} was read and passed on."
    if whole:
        return f"Nothing was written: every element still holds {fill}. Does the kernel run, on this pointer?"
    first = int(untouched.to(torch.uint8).argmax())
    if bool(filled[first:].all()):
        several = wrong.total - first > 1
        which = f"Elements {first} to {wrong.total - 1} were" if several else f"Element {first} was"
        return f"{which} never written: {fill} is still there. {_about_the_grid(wrong, first)}"
    return f"{number} of {wrong.total} elements were never written: they still hold {fill}."


def _about_the_grid(wrong: Wrong, first: int) -> str:
    """Ask for the likeliest reason why only the elements before `first` were written."""
    size = _size_of_an_input(wrong, first)
    if size:
        return f"Exactly the first {first} were written, which is {size}: look at the n that is passed."
    row = wrong.expected.shape[-1]
    missing = wrong.total - first
    if missing >= LARGEST_BLOCK and first >= MANY_THREADS and first % WARP == 0:
        return "If the number of blocks is limited, each thread has to go on in a loop: does it?"
    # Rounded down, the blocks leave out less than one of them covers, and one at least was there.
    rounded = missing < first
    if wrong.expected.ndim >= 2 and first % row == 0 and first > 0:
        question = (
            "is the number of blocks rounded up in every dimension?"
            if rounded
            else "does every row have a thread?"
        )
        return f"That is from row {first // row} on: {question}"
    if first % WARP == 0 and first > 0:
        if rounded:
            return "Is the number of blocks rounded up, and does the index count the block?"
        return "Does the index count the block?"
    if missing > min(WARP, first):
        return "Does every element have a thread: the index, the guard and the number of blocks?"
    return "Is the guard at the end of the grid too strict?"


def _size_of_an_input(wrong: Wrong, number: int) -> str:
    """``a.size(0)``, the first extent that is `number`; ``""`` also for 1, which too many extents are."""
    for name, values in wrong.inputs:
        if number > 1 and number in values.shape:
            return f"{name}.size({list(values.shape).index(number)})"
    return ""


def beyond_32_bits(wrong: Wrong) -> str:
    """Wrong only where an input's offset needs more than 31 bits, as with `int` or a 32-bit accessor."""
    for name, values in wrong.inputs:
        reach = zip(values.shape, values.stride(), strict=True)
        if values.shape != wrong.expected.shape or sum((size - 1) * step for size, step in reach) < FAR:
            continue
        beyond = _offsets(values) >= FAR
        if not bool((wrong.mask & ~beyond).any()):
            return (
                f"All wrong elements read {name} beyond offset 2^31, which a 32-bit integer cannot hold: is "
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
    return f"{wrong.count} of {wrong.total} elements are wrong."


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
