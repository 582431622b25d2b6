"""The picture of lesson 25: a matrix in tiles that are larger than it is."""

from __future__ import annotations

from diagram import Diagram

_ROWS, _COLUMNS = 5, 6  # of the matrix
_TILE_ROWS, _BLOCK = 4, 8  # of a tile


def tiles_and_masks() -> Diagram:
    """25: two programs, whose tiles have elements that the matrix does not have."""
    cell, left, top, gap = 34, 140, 40, 14
    height = 2 * _TILE_ROWS * cell + gap
    canvas = Diagram(
        "tiles-and-masks", left + _BLOCK * cell + 12, top + height + 34,
        "A matrix of 5 rows and 6 columns in tiles of 4 rows and 8 columns",
        f"A matrix of {_ROWS} rows and {_COLUMNS} columns. Program 0 has a tile of rows 0 to 3 and of 8 "
        "columns, program 1 one of rows 4 to 7. Columns 6 and 7, and rows 5 to 7, do not exist: their elements "
        "of the tiles are masked.",
    )  # fmt: skip
    for column in range(_BLOCK):
        canvas.text(left + (column + 0.5) * cell, top - 12, str(column), "middle small")
    for row in range(2 * _TILE_ROWS):
        program = row // _TILE_ROWS
        y = top + row * cell + program * gap
        canvas.text(left - 10, y + cell / 2 + 4, f"row {row}", "end small")
        if row % _TILE_ROWS == 0:
            canvas.text(8, y + cell / 2 + 4, "program", "small")
            canvas.text(8, y + cell / 2 + 20, str(program), "small")
        for column in range(_BLOCK):
            exists = row < _ROWS and column < _COLUMNS
            colour = "ab"[program] if exists else "box"
            canvas.box(left + column * cell, y, cell - 4, cell - 4, "" if exists else "0", colour, mono=True)
    canvas.text(left, top + height + 20, "0: masked, with other=0", "small")
    return canvas
