"""Lesson 28: the matrix of scores in tiles, of which one row at a time exists."""

from __future__ import annotations

from diagram import Diagram

_TILES, _ROW = 6, 3  # in each direction; the row of tiles that is drawn in colour
_CELL = 40


def tiles_of_scores() -> Diagram:
    """28: what one block computes of the scores, with a causal mask."""
    left, top = 150, 96
    computed = sum(row + 1 for row in range(_TILES))
    canvas = Diagram(
        "tiles-of-scores", 640, 384, "The scores in tiles, with a causal mask",
        f"A square of {_TILES} by {_TILES} tiles of scores: a row for each tile of queries, a column for each tile "
        f"of keys and values. With a causal mask, only {computed} of {_TILES * _TILES} tiles are computed: those "
        "below the diagonal in full, those on it in part. The block of tile "
        f"{_ROW} of queries goes from left to right, over tiles 0 to {_ROW}, and holds one tile of scores at a time. "
        "No tile is ever written to global memory.",
    )  # fmt: skip
    canvas.text(left + _TILES * _CELL / 2, 30, "tiles of keys and values", "middle strong")
    canvas.text(left - 56, top - 14, "tiles of queries", "middle strong")
    for column in range(_TILES):
        kind = "b" if column <= _ROW else "box"
        canvas.box(left + column * _CELL, 44, _CELL - 4, 26, str(column), kind)
    for row in range(_TILES):
        canvas.box(left - 74, top + row * _CELL, 40, _CELL - 4, str(row), "a" if row == _ROW else "box")
        for column in range(_TILES):
            place = left + column * _CELL, top + row * _CELL
            if column > row == _ROW:
                continue  # where the arrow is
            if column > row:
                canvas.text(place[0] + _CELL / 2 - 2, place[1] + _CELL / 2 + 4, "–", "middle small")
            else:
                name = "part" if column == row else ""
                canvas.box(*place, _CELL - 4, _CELL - 4, name, "c" if row == _ROW else "box")
    y = top + (_ROW + 0.5) * _CELL - 2
    end = left + (_ROW + 1) * _CELL
    canvas.arrow([(end + 2, y), (end + 2 * _CELL + 30, y)])
    x = end + 2 * _CELL + 36
    canvas.text(x, y - 8, "out and lse of", "small")
    canvas.text(x, y + 10, "these queries", "small")
    canvas.text(left, top + _TILES * _CELL + 22, "–: after the last query, left out. part: masked within.", "small")
    return canvas


def pairs_of_tiles() -> Diagram:
    """29: which pairs of tiles a block of each kernel of backward goes over, with a causal mask."""
    tiles, own = 5, 2
    canvas = Diagram(
        "pairs-of-tiles", 700, 330, "The pairs of tiles of the two kernels of backward",
        f"Two squares of {tiles} by {tiles} tiles: a row for each tile of queries, a column for each tile of keys. "
        f"Left, the kernel for grad_q: the block of tile {own} of queries goes along its row, over tiles 0 to {own} "
        f"of keys. Right, the kernel for grad_k and grad_v: the block of tile {own} of keys goes down its column, "
        f"over tiles {own} to {tiles - 1} of queries. Pairs above the diagonal are masked and left out.",
    )  # fmt: skip
    for left, title, by_rows in ((92, "grad_q: along a row", True), (442, "grad_k, grad_v: down a column", False)):
        canvas.text(left + tiles * _CELL / 2, 22, title, "middle strong")
        canvas.text(left + tiles * _CELL / 2, 46, "tiles of keys and values", "middle small")
        canvas.text(left - 78, 82, "tiles of", "small")
        canvas.text(left - 78, 98, "queries", "small")
        for index in range(tiles):
            mine = "a" if index == own else "box"
            canvas.box(left + index * _CELL, 54, _CELL - 4, 26, str(index), "box" if by_rows else mine)
            canvas.box(left - 34, 92 + index * _CELL, 28, _CELL - 4, str(index), mine if by_rows else "box")
        for row in range(tiles):
            for column in range(tiles):
                x, y = left + column * _CELL, 92 + row * _CELL
                if column > row:
                    canvas.text(x + _CELL / 2 - 2, y + _CELL / 2 + 4, "–", "middle small")
                    continue
                chosen = (row if by_rows else column) == own
                canvas.box(x, y, _CELL - 4, _CELL - 4, "part" if row == column else "", "c" if chosen else "box")
        canvas.text(left, 92 + tiles * _CELL + 22, "–: left out. part: masked within.", "small")
    return canvas
