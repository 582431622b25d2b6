"""Pictures of lesson 19: what a thread's registers hold for one step along k, and two buffers over time."""

from __future__ import annotations

from diagram import Diagram

ROWS = COLUMNS = 8  # of out, for each thread
_COPY, _MULTIPLY = 58, 92  # pixels: how long a round takes to copy and to multiply


def thread_tile() -> Diagram:
    """19: eight numbers of a and eight of b make 64 products."""
    cell, left, top = 26, 190, 90
    words, products = ROWS + COLUMNS, ROWS * COLUMNS
    canvas = Diagram(
        "thread-tile", 640, 350, "One step along k of one thread",
        f"A square of {ROWS} by {COLUMNS} sums in registers. To its left a column of {ROWS} numbers of a, above it "
        f"a row of {COLUMNS} numbers of b. Every sum grows by the product of the number to its left and the number "
        f"above it: {words} numbers are read from shared memory for {products} multiply-adds. With one sum for "
        "each thread it would be 2 for 1.",
    )  # fmt: skip
    canvas.text(left + COLUMNS * cell / 2, 30, "b_tile[k][columns of this thread]", "middle small mono")
    canvas.text(left - 44, top - 14, "a_tile[rows][k]", "end small mono")
    for column in range(COLUMNS):
        canvas.box(left + column * cell, 46, cell - 2, 24, "", "b")
    for row in range(ROWS):
        canvas.box(left - 36, top + row * cell, 24, cell - 2, "", "a")
        for column in range(COLUMNS):
            canvas.box(left + column * cell, top + row * cell, cell - 2, cell - 2, "", "c")
    x = left + COLUMNS * cell + 24
    canvas.text(x, top + 40, f"{words} numbers read", "small")
    canvas.text(x, top + 64, f"{products} multiply-adds", "small")
    canvas.text(x, top + 88, "all sums in registers", "small")
    canvas.text(left, top + ROWS * cell + 24, "vectors of four: two loads for a row of b", "small")
    return canvas


def two_buffers() -> Diagram:
    """19: copies and products of four rounds, with one buffer and with two."""
    rounds, left, height = 4, 110, 30
    serial = rounds * (_COPY + _MULTIPLY)
    overlapped = _COPY + rounds * max(_COPY, _MULTIPLY)
    canvas = Diagram(
        "two-buffers", left + serial + 20, 290, "Copies and products of four rounds, with one buffer and with two",
        "Time goes from left to right. With one buffer, every round first copies a pair of tiles and then multiplies "
        "it, so copies and products take turns. With two buffers, the copies of the next pair run while the block "
        f"multiplies this one: after the first copy only the products take time. Here that is {overlapped} units "
        f"instead of {serial}. A barrier is at the beginning of each multiplication.",
    )  # fmt: skip
    for top, title, starts in (
        (34, "one buffer", [round * (_COPY + _MULTIPLY) for round in range(rounds)]),
        (164, "two buffers", [max(0, _COPY + (round - 1) * _MULTIPLY) for round in range(rounds)]),
    ):
        canvas.text(left, top - 12, title, "strong")
        canvas.text(left - 10, top + 20, "copies", "end small")
        canvas.text(left - 10, top + height + 28, "products", "end small")
        for round, start in enumerate(starts):
            ready = start + _COPY if title == "one buffer" else _COPY + round * _MULTIPLY
            buffer = round % 2 if title == "two buffers" else 0
            kind = "ab"[buffer]
            canvas.box(left + start, top, _COPY - 2, height, f"pair {round}", kind)
            canvas.box(left + ready, top + height + 8, _MULTIPLY - 2, height, f"pair {round}", kind)
            canvas.line([(left + ready, top - 4), (left + ready, top + 2 * height + 14)], "line dashed")
    canvas.text(left, 278, "Dashed: the barrier. The two colours are the two buffers.", "small")
    return canvas
