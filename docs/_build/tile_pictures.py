"""Lesson 15: which tiles a block visits, in a product small enough to follow by hand."""

from __future__ import annotations

from diagram import Diagram

_TILE, _M, _K, _N = 2, 4, 5, 4  # out = a (4 x 5) @ b (5 x 4), in tiles of 2 x 2
_BLOCK_ROW, _BLOCK_COLUMN = 1, 0  # the tile of out that is drawn
_CELL = 30
_ROUNDS = (_K + _TILE - 1) // _TILE
_TINTS = ("a", "c", "d")  # by round


def tile_rounds() -> Diagram:
    """15: one block's way along a row of tiles of a and down a column of tiles of b."""
    a, b, out = (60, 246), (308, 34), (308, 246)
    canvas = Diagram(
        "tile-rounds", 560, 402, "The tiles that one block visits",
        f"The matrix a, {_M} by {_K}, is on the left, b, {_K} by {_N}, on top, and their product out, {_M} by "
        f"{_N}, where they meet. Tiles are {_TILE} by {_TILE}. The block of out's tile in tile row {_BLOCK_ROW} "
        f"and tile column {_BLOCK_COLUMN} needs {_ROUNDS} rounds: it visits tiles 0, 1 and 2 of its rows of a, "
        "from left to right, and those of its columns of b, from top to bottom. The last pair extends past "
        f"k = {_K}: where a has no column and b no row, the tiles hold zeros.",
    )  # fmt: skip
    _matrix(canvas, a, (_M, _K), "a", along_rows=True)
    _matrix(canvas, b, (_K, _N), "b", along_rows=False)
    _matrix(canvas, out, (_M, _N), "out", along_rows=None)
    for number in range(_ROUNDS):
        x = a[0] + (number + 0.5) * _TILE * _CELL
        canvas.text(x, a[1] + _M * _CELL + 18, f"round {number}", f"middle tiny {_TINTS[number]}")
        y = b[1] + (number + 0.5) * _TILE * _CELL + 4
        canvas.text(b[0] - 8, y, f"round {number}", f"end tiny {_TINTS[number]}")
    canvas.text(out[0] + _N * _CELL + 12, out[1] + 3 * _CELL, "this block's tile", "small b")
    return canvas


def _matrix(
    canvas: Diagram, corner: tuple[float, float], shape: tuple[int, int], name: str, *, along_rows: bool | None
) -> None:
    rows, columns = shape
    padded = _ROUNDS * _TILE
    for row in range(padded if along_rows is False else rows):
        for column in range(padded if along_rows else columns):
            kind = _kind(row, column, along_rows)
            exists = row < rows and column < columns
            if not exists and kind == "box":
                continue
            place = corner[0] + column * _CELL, corner[1] + row * _CELL
            canvas.box(*place, _CELL - 2, _CELL - 2, "" if exists else "0", kind)
    x = corner[0] + columns * _CELL / 2
    canvas.text(x, corner[1] - 10, f"{name}: {rows} × {columns}", "middle strong")


def _kind(row: int, column: int, along_rows: bool | None) -> str:
    """The tint of the round in which the block visits this element."""
    if along_rows is None:
        mine = (row // _TILE, column // _TILE) == (_BLOCK_ROW, _BLOCK_COLUMN)
        return "b" if mine else "box"
    across, along = (row, column) if along_rows else (column, row)
    wanted = _BLOCK_ROW if along_rows else _BLOCK_COLUMN
    return _TINTS[along // _TILE] if across // _TILE == wanted else "box"
