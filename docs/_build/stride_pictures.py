"""Pictures of lesson 04: four views of one memory, the threads of a grid-stride loop, an offset that wraps, and
the load of a transposed operand, as counted when it ran.
"""

from __future__ import annotations

from profiles import profile

from cusimt.counters.canvas import Canvas
from diagram import Diagram
from cusimt.counters.pictures import Contents, picture

_ROWS, _COLUMNS, _CELL = 4, 6, 22
_AT = (2, 1)  # the element whose offset is written out
_VIEWS = (  # title, shape, strides
    ("x", (_ROWS, _COLUMNS), (_COLUMNS, 1)),
    ("x.t()", (_COLUMNS, _ROWS), (1, _COLUMNS)),
    ("x[:, ::2]", (_ROWS, _COLUMNS // 2), (_COLUMNS, 2)),
    ("x[:1].expand(4, 6)", (_ROWS, _COLUMNS), (0, 1)),
)
_LEFTS = (8, 196, 352, 500)


def four_views() -> Diagram:
    """Each cell holds the place in memory that its element has."""
    row, column = _AT
    canvas = Diagram(
        "four-views", 648, 214, "Four views of one memory",
        f"x has {_ROWS} rows of {_COLUMNS} elements. Each view shows, for each element, where in memory it is, "
        "and the offset of the element at row 2, column 1, from its strides: "
        + "; ".join(
            f"{title}, strides {strides}, offset {row * strides[0] + column * strides[1]}"
            for title, _, strides in _VIEWS
        )
        + ".",
    )  # fmt: skip
    for (title, (rows, columns), strides), left in zip(_VIEWS, _LEFTS, strict=True):
        canvas.text(left, 18, title, "strong mono")
        canvas.text(left, 36, f"strides ({strides[0]}, {strides[1]})", "small mono")
        for i in range(rows):
            for j in range(columns):
                place = left + j * _CELL, 46 + i * _CELL
                canvas.box(*place, _CELL - 2, _CELL - 2, "", "c" if (i, j) == _AT else "box")
                offset = i * strides[0] + j * strides[1]
                canvas.text(place[0] + _CELL / 2 - 1, place[1] + 14, str(offset), "middle tiny mono")
        offset = row * strides[0] + column * strides[1]
        canvas.text(
            left,
            46 + rows * _CELL + 18,
            f"{row}·{strides[0]} + {column}·{strides[1]} = {offset}",
            "small c mono",
        )
    return canvas


_BLOCKS, _THREADS, _ELEMENTS = 3, 4, 30


def grid_stride() -> Diagram:
    """Which elements the threads of a small grid take, pass by pass."""
    step, cell, left = _BLOCKS * _THREADS, 42, 96
    passes = -(-_ELEMENTS // step)
    canvas = Diagram(
        "grid-stride", left + step * cell + 12, 62 + passes * 40, "A grid-stride loop",
        f"{_BLOCKS} blocks of {_THREADS} threads take {_ELEMENTS} elements in {passes} passes. In each pass "
        f"neighbouring threads take neighbouring elements; then each thread goes on by {step}. In the last pass "
        f"only {_ELEMENTS - (passes - 1) * step} threads have an element.",
    )  # fmt: skip
    for block in range(_BLOCKS):
        middle = left + (block + 0.5) * _THREADS * cell
        canvas.text(middle, 18, f"block {block}", "middle strong")
    for thread in range(step):
        canvas.text(left + (thread + 0.5) * cell - 2, 36, f"t {thread % _THREADS}", "middle tiny mono")
    for number in range(passes):
        y = 46 + number * 40
        canvas.text(left - 10, y + 21, f"pass {number}", "end small")
        for thread in range(step):
            i = number * step + thread
            kind = ("a", "c", "d")[thread // _THREADS] if i < _ELEMENTS else "hollow"
            canvas.box(
                left + thread * cell, y, cell - 4, 30, str(i) if i < _ELEMENTS else "", kind, mono=True
            )
    return canvas


_STRIDE, _COLUMN = 2**31 + 501, 3


def wrapped_offset() -> Diagram:
    """Where the offset of an element in the second row leads, in 64 bits and cut off to 32."""
    right = _STRIDE + _COLUMN
    cut = (right + 2**31) % 2**32 - 2**31
    canvas = Diagram(
        "wrapped-offset", 640, 176, "An offset that does not fit into 32 bits",
        f"The two rows of a view are {_STRIDE:,} elements apart. The offset of element [1, {_COLUMN}] is "
        f"{right:,}. In 32 bits it becomes {cut:,}, which is 2^32 elements too low: before the tensor, in memory "
        "of others.",
    )  # fmt: skip
    base = 320
    for left, right_end in ((10, 36), (98, base), (base + 62, 548), (610, 630)):
        canvas.line([(left, 84), (right_end, 84)])
    canvas.box(base, 68, 62, 32, "row 0", "a")
    canvas.box(548, 68, 62, 32, "row 1", "a")
    canvas.box(36, 68, 62, 32, "others", "b")
    canvas.text(base, 120, "offset 0", "small mono")
    canvas.arrow([(base + 4, 64), (base + 4, 40), (572, 40), (572, 64)])
    canvas.text(446, 30, f"int64_t: {right:,}", "middle small mono c")
    canvas.arrow([(base + 4, 128), (base + 4, 148), (70, 148), (70, 104)], "line dashed")
    canvas.text(196, 168, f"int: {cut:,}", "middle small mono b")
    return canvas


def load_transposed() -> Canvas:
    """The worst request of `pointers` for a transposed a."""
    lines = [line for each in profile("04").stages[0].launches for line in each.counts.lines]
    worst = max((line for line in lines if line.access == "load"), key=lambda line: line.sectors)
    return picture(
        worst.sample, "a[row][column], a transposed", Contents("a", worst.bytes), access="load",
        name="strides-load-transposed",
    )  # fmt: skip
