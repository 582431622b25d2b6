"""Pictures of lesson 14: three trees, the rounds of a warp sum, a transposed tile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import warp_rounds
from warp_rounds import LANES, middle

from diagram import Diagram

_WORDS = 8  # that a tree adds up here
Addition = tuple[int, int, int]  # the thread, the word it adds to, the word it adds


def modulo(stride: int) -> Iterator[Addition]:
    """The additions of one level of modulo_tree in predict.cu."""
    return ((t, t, t + stride) for t in range(_WORDS) if t % (2 * stride) == 0)


def packed(stride: int) -> Iterator[Addition]:
    """Those of packed_tree."""
    return ((t, 2 * stride * t, 2 * stride * t + stride) for t in range(_WORDS) if 2 * stride * t < _WORDS)


def halving(stride: int) -> Iterator[Addition]:
    """Those of halving_tree."""
    return ((t, t, t + stride) for t in range(_WORDS) if t < stride)


TREES: tuple[tuple[str, Callable[[int], Iterator[Addition]], tuple[int, ...]], ...] = (
    ("modulo_tree", modulo, (1, 2, 4)),
    ("packed_tree", packed, (1, 2, 4)),
    ("halving_tree", halving, (4, 2, 1)),
)


def reduction_trees() -> Diagram:
    """14: which threads of a block add which words, level by level."""
    cell, left, gap, level, top = 25, 14, 34, 58, 40
    width = left * 2 + len(TREES) * _WORDS * cell + (len(TREES) - 1) * gap
    canvas = Diagram(
        "reduction-trees", width, 258, "Three trees that add up eight numbers",
        "Each tree has a row of eight words of shared memory and three levels of additions. In the first tree, "
        "every second of the remaining threads adds: threads 0, 2, 4 and 6, then 0 and 4, then 0. In the "
        "second, the first threads add the same pairs: 0 to 3, then 0 and 1, then 0. In the third, "
        "threads 0 to 3, then 0 and 1, then 0, add the upper half to the lower half.",
    )  # fmt: skip
    for number, (name, additions, strides) in enumerate(TREES):
        x = left + number * (_WORDS * cell + gap)
        canvas.text(x + _WORDS * cell / 2, 18, name, "middle mono strong")
        values = _row(canvas, x, top, cell, [1] * _WORDS, ())
        for depth, stride in enumerate(strides, 1):
            y = top + depth * level
            steps = list(additions(stride))
            for _, target, source in steps:
                values[target] += values[source]
            _row(canvas, x, y, cell, values, tuple(target for _, target, _ in steps))
            for thread, target, source in steps:
                end = (x + (target + 0.5) * cell, y - 2)
                canvas.arrow([(x + (target + 0.5) * cell, y - level + 24), end])
                canvas.arrow([(x + (source + 0.5) * cell, y - level + 24), end])
                canvas.text(end[0] - 3, y - level + 36, f"t{thread}", "end tiny b")
    canvas.text(
        left, 250, "A number counts the words that have been added up; t0 is the thread that adds.", "small"
    )
    return canvas


def _row(
    canvas: Diagram, x: float, y: float, cell: float, values: list[int], marked: tuple[int, ...]
) -> list[int]:
    for word, value in enumerate(values):
        canvas.box(x + word * cell, y, cell - 2, 22, str(value), "c" if word in marked else "box", mono=True)
    return list(values)


def shuffle_rounds() -> Diagram:
    """14: what the lanes hold after each round of __shfl_down_sync."""
    canvas = warp_rounds.canvas(
        "shuffle-rounds",
        "A warp adds up its values with three rounds of shuffles",
        "Eight lanes, instead of 32, hold one value each. At distance 4, lanes 0 to 3 get the values of "
        "lanes 4 to 7 and add them; lanes 4 to 7 have no partner and get their own value. Rounds at distance 2 "
        "and 1 follow. After the last round, lane 0 has the sum of all eight; what the other lanes hold is "
        "of no use.",
    )
    sizes, wanted = [1] * LANES, LANES
    for distance, above, y in warp_rounds.rounds(canvas):
        wanted //= 2
        sizes = [size + (sizes[lane + distance] if lane + distance < LANES else size)
                 for lane, size in enumerate(sizes)]  # fmt: skip
        for lane in range(LANES):
            useful = lane < wanted
            if lane + distance < LANES:
                style = "line" if useful else "line dashed"
                canvas.arrow([(middle(lane + distance), above), (middle(lane) + 6, y - 2)], style)
            warp_rounds.box(canvas, lane, y, str(sizes[lane]) if useful else "·", "c" if useful else "box")
    warp_rounds.legend(canvas, "A number counts the values that a lane has added up; no lane reads a ·.")
    return canvas


def turned_tile() -> Diagram:
    """14: from partial sums of columns in lanes to one column per warp, and on to the second stage."""
    lanes, cell, left, top = 4, 40, 20, 66
    grid = lanes * cell
    canvas = Diagram(
        "turned-tile", 660, 300, "The partial sums of four columns, transposed in a tile and added up by warps",
        "Four warps of four lanes, instead of 32 and 32. On the left, lane c of every warp has added up "
        "rows of column c and writes its sum into the tile, one row per warp. On the right, after a "
        "barrier, each warp reads a column of the tile: now the four partial sums of one column are in the "
        "lanes of one warp, and shuffles add them up. Lane 0 writes one number of a row of sums. The "
        "second stage adds up these rows.",
    )  # fmt: skip
    middle = left + grid + 190
    canvas.text(left + grid / 2, 20, "written by rows", "middle strong")
    canvas.text(middle + grid / 2, 20, "read by columns", "middle strong")
    for index in range(lanes):
        y = top + index * cell
        canvas.text(left + (index + 0.5) * cell, 54, f"lane {index}", "middle tiny")
        canvas.text(left + grid + 10, y + 24, f"warp {index}", "small " + "abcd"[index])
        canvas.text(middle + (index + 0.5) * cell, 54, f"warp {index}", "middle tiny " + "abcd"[index])
        canvas.text(middle - 8, y + 24, f"lane {index}", "end tiny")
    for row in range(lanes):
        for column in range(lanes):
            name, y = f"{row},{column}", top + row * cell
            canvas.box(left + column * cell, y, cell - 4, cell - 8, name, "abcd"[row], mono=True)
            canvas.box(middle + column * cell, y, cell - 4, cell - 8, name, "abcd"[column], mono=True)
    canvas.arrow([(left + grid + 62, top + grid / 2), (middle - 46, top + grid / 2)])
    canvas.text((left + grid + middle) / 2 + 8, top + grid / 2 - 10, "__syncthreads()", "middle mono tiny")
    for column in range(lanes):
        x = middle + (column + 0.5) * cell - 2
        canvas.arrow([(x, top + grid - 2), (x, top + grid + 20)])
        canvas.box(
            middle + column * cell, top + grid + 24, cell - 4, 24, f"Σ{column}", "abcd"[column], mono=True
        )
    canvas.text(middle - 8, top + grid + 41, "lane 0 of each warp writes", "end small")
    canvas.text(middle + grid + 14, top + grid + 41, "one row of sums", "small")
    canvas.text(
        left,
        292,
        "w,c: the sum of warp w over its rows of column c. Σc: the block's sum of column c.",
        "small",
    )
    return canvas
