"""Pictures of lesson 17: moments that are merged, and a backward that adds up rows and columns."""

from __future__ import annotations

from typing import NamedTuple

from cusimt.profile.phrases import number
from diagram import Diagram

_ROW = (2, 7, 4, 5, 4, 8, 1, 1, 9, 6)
_TILE = 8  # values that a block can hold, in the picture
_COLOURS = "abcd"


class Moments(NamedTuple):
    """As in kernel.cu."""

    count: float
    mean: float
    m2: float


def moments_of(values: tuple[int, ...]) -> Moments:
    mean = sum(values) / len(values)
    return Moments(len(values), mean, sum((value - mean) ** 2 for value in values))


def merge(a: Moments, b: Moments) -> Moments:
    """The solution's formula."""
    count = a.count + b.count
    share, delta = b.count / count, b.mean - a.mean
    return Moments(count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share)


def merged_moments() -> Diagram:
    """17: a row of ten values in two tiles, of eight and of two, and what their moments give together."""
    cell, group, left, top = 36, 96, 8, 34
    tiles = _ROW[:_TILE], _ROW[_TILE:]
    first, second = map(moments_of, tiles)
    both = merge(first, second)
    canvas = Diagram(
        "merged-moments", 376, 320, "The moments of two tiles give those of the row",
        "A row of ten values, in a tile of eight and a tile of two. Each tile has a count, a mean and a sum of "
        f"squared distances, m2: {_said(first)} and {_said(second)}. Merged they are {_said(both)}. The mean "
        f"of the two means would be {_short((first.mean + second.mean) / 2)}, which is wrong: the tiles have "
        "different counts.",
    )  # fmt: skip
    for column, value in enumerate(_ROW):
        x, tile = left + column * cell, column // _TILE
        canvas.text(x + cell / 2, 20, f"tile {tile}" if column in (0, _TILE) else "", "middle small")
        canvas.box(x, top, cell - 4, 26, str(value), _COLOURS[tile], mono=True)
    places = (left + 3 * cell - 8, left + _TILE * cell - 28)
    for tile, (moments, x) in enumerate(zip((first, second), places, strict=True)):
        canvas.arrow([(x + group / 2 - 4, top + 30), (x + group / 2 - 4, top + 52)])
        _group(canvas, moments, x, top + 54, group, _COLOURS[tile])
        canvas.arrow([(x + group / 2 - 4, top + 126), (left + 6 * cell + (tile * 16 - 8), top + 166)])
    _group(canvas, both, left + 6 * cell - group / 2, top + 170, group, "c")
    wrong = _short((first.mean + second.mean) / 2)
    canvas.text(left, top + 270, f"Not {wrong}, the mean of the means: tile 0 has more values.", "small")
    return canvas


def _group(canvas: Diagram, moments: Moments, x: float, y: float, width: float, colour: str) -> None:
    label = f"count {number(moments.count)}\nmean {_short(moments.mean)}\nm2 {_short(moments.m2)}"
    canvas.box(x, y, width - 6, 68, label, colour, mono=True)


def _said(moments: Moments) -> str:
    return f"count {number(moments.count)}, mean {_short(moments.mean)} and m2 {_short(moments.m2)}"


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def two_directions() -> Diagram:
    """17: a backward that reads every row once, with sums along rows and sums along columns."""
    rows, columns, blocks, cell, left, top = 6, 8, 2, 27, 62, 44
    width = columns * cell
    canvas = Diagram(
        "two-directions", 376, 396, "Sums along rows and along columns from one reading",
        f"A matrix of {rows} rows and {columns} columns, read by {blocks} blocks. Block 0 takes rows 0, 2 and "
        "4, block 1 rows 1, 3 and 5. For each row a block computes two sums, which the gradient of that row of "
        "x needs. Meanwhile each thread adds up its own columns over all rows of its block, in registers. At "
        "the end each block writes one row of parts, and a second launch adds up the parts of each column.",
    )  # fmt: skip
    canvas.text(left + width / 2, 18, "grad_out and x, read once", "middle strong")
    for row in range(rows):
        y = top + row * cell
        canvas.text(left - 8, y + 17, f"block {row % blocks}", "end small " + _COLOURS[row % blocks])
        for column in range(columns):
            canvas.box(left + column * cell, y, cell - 3, cell - 4, "", _COLOURS[row % blocks])
        canvas.arrow([(left + width, y + 12), (left + width + 24, y + 12)])
        canvas.text(left + width + 30, y + 16, "2 sums", "small")
    y = top + rows * cell
    for column in range(columns):
        x = left + column * cell + 12
        canvas.arrow([(x, y - 2), (x, y + 24)])
    canvas.text(left + width + 6, y + 16, "in registers", "small")
    y += 30
    for block in range(blocks):
        canvas.text(left - 8, y + 17, f"part {block}", "end small " + _COLOURS[block])
        for column in range(columns):
            canvas.box(left + column * cell, y, cell - 3, cell - 4, "", _COLOURS[block])
        y += cell
    for column in range(columns):
        x = left + column * cell + 12
        canvas.arrow([(x, y - 2), (x, y + 24)])
    canvas.text(left + width + 6, y + 16, "2nd launch", "small")
    y += 30
    canvas.text(left - 8, y + 17, "sums", "end small c")
    for column in range(columns):
        canvas.box(left + column * cell, y, cell - 3, cell - 4, "", "c")
    canvas.text(left, y + 50, "Twice: for the gradient of weight and of bias.", "small")
    return canvas
