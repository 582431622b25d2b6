"""Pictures of lesson 17: moments that are merged, and a backward that adds up rows and columns."""

from __future__ import annotations

from typing import NamedTuple

from grader.profile.words import number
from grader.simt.canvas import Canvas

_ROW = (2, 7, 4, 5, 4, 8, 9, 7, 6, 6)
_THREADS = 4
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


def merged_moments() -> Canvas:
    """17: a row of ten values, held by four threads, and the two rounds that merge their moments."""
    cell, group, left, top, level = 36, 90, 8, 34, 96
    canvas = Canvas(
        "merged-moments", 376, 440, "Four threads merge the moments of a row of ten values",
        "A row of ten values. Thread t holds columns t, t + 4 and t + 8, so threads 0 and 1 hold three values "
        "and threads 2 and 3 two. Each computes the count, the mean and the sum of squared distances, m2, of "
        "its own values. In the first round thread 0 merges the moments of thread 2 with its own, and thread 1 "
        "those of thread 3; each then has the moments of five values. In the second round thread 0 merges those "
        "of thread 1, and has the moments of the whole row.",
    )  # fmt: skip
    for column, value in enumerate(_ROW):
        x = left + column * cell
        canvas.text(x + cell / 2, 20, f"t{column % _THREADS}", "middle tiny")
        canvas.box(x, top, cell - 4, 26, str(value), _COLOURS[column % _THREADS], mono=True)
    groups = {thread: moments_of(_ROW[thread::_THREADS]) for thread in range(_THREADS)}
    y = top + 56
    _groups(canvas, groups, left, y, group)
    for distance in (2, 1):
        below = y + level + 28
        groups = {thread: merge(groups[thread], groups[thread + distance]) for thread in range(distance)}
        for thread in groups:
            end = (left + thread * group + (group - 6) / 2, below - 2)
            canvas.arrow([(end[0], y + 70), end])
            canvas.arrow([(end[0] + distance * group, y + 70), (end[0] + 10, below - 2)])
        y = below
        _groups(canvas, groups, left, y, group)
        canvas.text(left + distance * group + 10, y + 40, f"merged at distance {distance}", "small")
    canvas.text(
        left, 436, f"variance of the row: {_short(groups[0].m2)} / {number(groups[0].count)}", "small"
    )
    return canvas


def _groups(canvas: Canvas, groups: dict[int, Moments], left: float, y: float, width: float) -> None:
    for thread, moments in groups.items():
        label = f"count {number(moments.count)}\nmean {_short(moments.mean)}\nm2 {_short(moments.m2)}"
        canvas.box(left + thread * width, y, width - 6, 68, label, _COLOURS[thread], mono=True)


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def two_directions() -> Canvas:
    """17: a backward that reads every row once, with sums along rows and sums along columns."""
    rows, columns, blocks, cell, left, top = 6, 8, 2, 27, 62, 44
    width = columns * cell
    canvas = Canvas(
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
