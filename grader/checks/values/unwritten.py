"""The part of an answer that was never written, and how the launch explains it."""

from __future__ import annotations

from math import prod

import torch

from cusimt.profile.occupancy import WARP
from cusimt.support.words import counted
from grader.checks.values.wrong_answer import Wrong
from grader.run.values import TracedLaunch

POISON = 0xA5  # fills fresh device memory on simt
_BEYOND_CHANCE = 4  # bytes of an element that an answer does not fill with the pattern by chance
LARGEST_BLOCK = 1024
CHUNK = 16  # bytes: the most that a thread loads with one instruction
MOST_BLOCKS = 65_535  # in y and in z
MANY_THREADS = 1 << 16  # of a launch: rounding the number of blocks down leaves out less than a block

_FILL = f"the fill pattern 0x{POISON:X} of fresh device memory"
_LOOP = "If the number of blocks is limited, each thread has to go on in a loop: does it?"


def never_written(wrong: Wrong) -> str:
    untouched = _untouched(wrong)
    if untouched is None:
        return ""
    number, whole = int(untouched.sum()), bool(_filled(wrong).all())
    if wrong.written:
        which = "Every element was" if whole else f"{number} of {wrong.total} elements were"
        return f"{which} computed from uninitialised memory: {_FILL} was read and passed on."
    if whole:
        return f"Nothing was written: every element still holds {_FILL}. {_about_the_kernel(wrong)}"
    first = _end_of_the_written(wrong, untouched)
    why = by_the_launch(wrong)
    if first is None:
        return (
            f"{number} of {wrong.total} elements were never written: they still hold {_FILL}. {why}".strip()
        )
    several = wrong.total - first > 1
    which = f"Elements {first} to {wrong.total - 1} were" if several else f"Element {first} was"
    return f"{which} never written: {_FILL} is still there. {why or _about_the_grid(wrong, first)}"


def by_the_launch(wrong: Wrong) -> str:
    """How the grid and the block of the only launch account for what was written; ``""`` if they do not."""
    untouched, launch = _untouched(wrong), _only_launch(wrong)
    if untouched is None or launch is None or wrong.written or bool(untouched.all()):
        return ""
    if prod(launch.grid[1:]) * prod(launch.block[1:]) > 1:
        flat = launch.grid[2] * launch.block[2] == 1 and wrong.expected.ndim == 2
        return _in_a_plane(wrong, untouched, launch) if flat else ""
    first = _end_of_the_written(wrong, untouched)
    if first is not None:
        return _in_a_line(wrong, first, launch)
    return _interleaved(wrong, untouched, launch)


# ---- what was written ------------------------------------------------------------------------------------


def _filled(wrong: Wrong) -> torch.Tensor:
    """Which elements hold the fill pattern, be it by chance."""
    raw = wrong.got.contiguous().reshape(-1).view(torch.uint8).reshape(wrong.total, -1)
    return (raw == POISON).all(dim=1)


def _untouched(wrong: Wrong) -> torch.Tensor | None:
    """The wrong elements that hold the fill pattern; None where there are none, or it may be chance."""
    if wrong.got.dtype == torch.bool or wrong.got.is_complex():
        return None
    untouched = _filled(wrong) & wrong.flat_mask
    number = int(untouched.sum())
    if number == 0:
        return None
    if wrong.got.element_size() == 1 and 2 * number < wrong.count:
        return None  # of bytes, some happen to be the pattern
    return untouched


def _end_of_the_written(wrong: Wrong, untouched: torch.Tensor) -> int | None:
    """The first element that nothing wrote, if no later one was written."""
    filled = _filled(wrong)
    first = int(untouched.to(torch.uint8).argmax())
    if not bool(filled[first:].all()):
        return None
    if wrong.got.element_size() >= _BEYOND_CHANCE:  # near 0 as a number, so where the answer is 0 it is right
        return wrong.total - int(filled.flip(0).to(torch.uint8).cumprod(0).sum())
    return first


def _is_written(part: torch.Tensor, wrong: Wrong, untouched: torch.Tensor) -> bool:
    """Whether `part`, a mask, is what was written: a right element may equal the fill pattern by chance."""
    return not bool((part & untouched).any() or (~part & ~_filled(wrong)).any())


def _only_launch(wrong: Wrong) -> TracedLaunch | None:
    return wrong.launches[0] if len(wrong.launches) == 1 else None


# ---- a launch in one dimension ---------------------------------------------------------------------------


def _in_a_line(wrong: Wrong, first: int, launch: TracedLaunch) -> str:
    """Nothing from `first` on was written, by a launch in x alone."""
    blocks, size = launch.grid[0], launch.block[0]
    threads, total = blocks * size, wrong.total
    there = f"{counted(blocks, 'block')} of {counted(size, 'thread')}"
    row = wrong.expected.shape[-1]
    if first == threads:
        if threads >= MANY_THREADS and total - first >= LARGEST_BLOCK:
            return f"The launch has {there}, one for each element before. {_LOOP}"
        return (
            f"The launch has {there}, and {total} elements take {-(-total // size)}, at one element per "
            "thread: is the number of blocks rounded up?"
        )
    if wrong.expected.ndim >= 2 and 0 < first == blocks * row:
        rows = total // row
        return f"The launch has {there}, and as many of the {rows} rows were written: has every row a block?"
    if threads < total or blocks < 2 or first not in (size, (blocks - 1) * size):
        return ""
    if blocks == 2:  # the first is also all but the last
        return (
            f"The launch has {there}, and what was written is what the first covers: does the index take the "
            "block into account, or is the guard too strict?"
        )
    if first == size:
        return (
            f"The launch has {there}, and what was written is what one block covers: does the index take the "
            "block into account?"
        )
    return (
        f"The launch has {there}, and what was written is what all of them but the last, partial one cover: "
        "is the guard too strict?"
    )


def _interleaved(wrong: Wrong, untouched: torch.Tensor, launch: TracedLaunch) -> str:
    """As many elements of every `blockDim.x` as there are blocks."""
    blocks, size = launch.grid[0], launch.block[0]
    part = torch.arange(wrong.total) % size < blocks
    if not 1 < blocks < size or not _is_written(part, wrong, untouched):
        return ""
    return (
        f"Written are the first {blocks} of every {size} elements, and the launch has {blocks} blocks of "
        f"{size} threads: are block and thread exchanged in the index?"
    )


# ---- a launch in two dimensions --------------------------------------------------------------------------


def _in_a_plane(wrong: Wrong, untouched: torch.Tensor, launch: TracedLaunch) -> str:
    """A rectangle in the upper left corner was written, by a launch in x and y."""
    height, width = wrong.expected.shape
    here = (~_filled(wrong)).reshape(height, width).nonzero()
    if not len(here):
        return ""
    rows, columns = (int(last) + 1 for last in here.amax(dim=0))
    rectangle = torch.zeros(height, width, dtype=torch.bool)
    rectangle[:rows, :columns] = True
    if not _is_written(rectangle.reshape(-1), wrong, untouched):
        return ""
    part = f"Written are {_first(rows, 'row', height)} and {_first(columns, 'column', width)}."
    across, down = (launch.grid[axis] * launch.block[axis] for axis in (0, 1))
    if (columns, rows) == (min(width, across), min(height, down)):
        return f"{part} {_threads_missing(launch, height, width)}"
    if across < width or down < height:
        return ""
    if rows == columns == min(height, width) > 1:
        return f"{part} Are rows and columns exchanged: x and y in the index, or the bounds in the guard?"
    if (columns, rows) == (min(width, launch.block[0]), min(height, launch.block[1])):
        return f"{part} One block covers as much: does the index take the block into account?"
    return f"{part} The grid has threads for all: look at the index and the guard."


def _first(number: int, word: str, of: int) -> str:
    if of == 1:
        return f"the only {word}"
    return f"all {of} {word}s" if number == of else f"{number} of {of} {word}s"


def _threads_missing(launch: TracedLaunch, height: int, width: int) -> str:
    """What was written has a thread each, and the rest has none."""
    (across, down), (x, y) = launch.grid[:2], launch.block[:2]
    if down == MOST_BLOCKS and down * y < height:
        limit = f"A grid has at most {MOST_BLOCKS:,} blocks in y"
        return f"{limit}: does each thread go on to its next row in a loop?"
    there = f"The grid has {counted(across, 'block')} in x and {down} in y, of {x} x {y} threads"
    wanted = (-(-width // x), -(-height // y))
    takes = f"one thread per element takes {wanted[0]} in x and {wanted[1]} in y"
    if (down, across) == wanted != (across, down):
        return f"{there}; with columns in x, {takes}: are the two exchanged?"
    return f"{there}; {takes}: is the number of blocks rounded up in every dimension?"


# ---- where the launch tells nothing ----------------------------------------------------------------------


def _about_the_kernel(wrong: Wrong) -> str:
    """For an unwritten answer: a recorded launch ran, so it wrote somewhere else."""
    if not wrong.launches:
        return "Does the kernel run, on this pointer?"
    return (
        "A kernel was launched: does its guard let any thread through, and is this the pointer it writes to?"
    )


def _about_the_grid(wrong: Wrong, first: int) -> str:
    """Ask for the likeliest reason why only the elements before `first` were written."""
    size = _size_of_an_input(wrong, first)
    if size:
        return f"Exactly the first {first} were written, which is {size}: look at the n that is passed."
    row, missing, launch = wrong.expected.shape[-1], wrong.total - first, _only_launch(wrong)
    if launch is not None and prod(launch.grid) * prod(launch.block) >= wrong.total:
        if missing <= min(WARP, first):
            return "Is the guard at the end of the grid too strict?"
        return "The launch has threads enough: look at the index and the guard."
    of_a_chunk = CHUNK // wrong.got.element_size()
    if launch is not None and 0 < missing == wrong.total % of_a_chunk:
        return (
            f"They are what is left after the last whole {of_a_chunk}, and the launch has fewer threads than "
            "elements: where does the kernel handle the tail?"
        )
    if missing >= LARGEST_BLOCK and first >= MANY_THREADS and first % WARP == 0:
        return _LOOP
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
            return "Is the number of blocks rounded up, and does the index take the block into account?"
        return "Does the index take the block into account?"
    if missing > min(WARP, first):
        return "Does every element have a thread: the index, the guard and the number of blocks?"
    return "Is the guard at the end of the grid too strict?"


def _size_of_an_input(wrong: Wrong, number: int) -> str:
    """``a.size(0)``, the first extent that is `number`; ``""`` also for 1, which too many extents are."""
    for name, values in wrong.inputs:
        if number > 1 and number in values.shape:
            return f"{name}.size({list(values.shape).index(number)})"
    return ""
