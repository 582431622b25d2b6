"""13: how a tile moves, and which memory a warp of each transpose touches, as counted when it ran."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from profiles import COURSE, profile

from cusimt.profile.model import Profile
from cusimt.counters.canvas import Canvas
from diagram import Diagram
from cusimt.counters import Access, LineCounts, Space
from cusimt.counters.pictures import Contents, picture

SAMPLES = COURSE / "docs" / "samples" / "transposes"
HARDWARE = COURSE / "benchmarks" / "results" / "memory_counters_h200.csv"
CASE = "256 x 256"  # the size at which an H200's counters are recorded


@dataclass(frozen=True)
class Step:
    """A kernel on the way: its sample (the solution without one), and its row among the H200's counters."""

    title: str
    sample: str = ""
    measured: str = ""


NAIVE = Step("naive", "naive.cu", "transpose")
TILED = Step("tiled", "tiled.cu", "transpose_tiled")
PADDED = Step("tiled and padded", "padded.cu", "transpose_padded")
SWIZZLED = Step("tiled and swizzled", "swizzled.cu")
SOLUTION = Step("the solution: padded, tiles of 64 × 64")
STEPS = (NAIVE, TILED, PADDED, SWIZZLED, SOLUTION)

# ---- the way of a tile -------------------------------------------------------------------------------------

_TILE, _ROWS, _COLUMNS, _CELL = 4, 8, 12, 22
_ROW, _COLUMN = 4, 8  # the corner of the tile that is drawn
_WARP = 1  # the row of the tile that one warp copies, and the column that it reads later


def tile_way() -> Diagram:
    """What one warp copies into the tile, and what it takes out of it."""
    first, last = (_ROW + _WARP) * _COLUMNS + _COLUMN, (_COLUMN + _WARP) * _ROWS + _ROW
    canvas = Diagram(
        "transpose-tile", 640, 352, "A tile on its way from x to out",
        f"Left, x with {_ROWS} rows of {_COLUMNS}; right, out with {_COLUMNS} rows of {_ROWS}; between them "
        f"a tile of {_TILE} by {_TILE}. In step 1 a warp reads {_TILE} neighbours of a row of x, elements "
        f"{first} to {first + _TILE - 1}, and writes them into a row of the tile. After the barrier, in step "
        f"2, it reads a column of the tile and writes {_TILE} neighbours of a row of out, elements {last} to "
        f"{last + _TILE - 1} of out.",
    )  # fmt: skip
    x, tile, out = (8, 60), (304, 170), (456, 44)
    for (left, top), (rows, columns), title in (
        (x, (_ROWS, _COLUMNS), "x"), (tile, (_TILE, _TILE), "tile"), (out, (_COLUMNS, _ROWS), "out"),
    ):  # fmt: skip
        canvas.text(left + columns * _CELL / 2, top - 10, title, "middle strong mono")
        for row in range(rows):
            for column in range(columns):
                kind, element = _cell(title, row, column)
                place = left + column * _CELL, top + row * _CELL
                canvas.box(*place, _CELL - 2, _CELL - 2, "", kind)
                if element:
                    canvas.text(place[0] + _CELL / 2 - 1, place[1] + 13, element, "middle tiny mono")
    canvas.text(140, 268, "1  a row of x into a row of the tile", "middle small a")
    canvas.text(tile[0] + 2 * _CELL, tile[1] + 4 * _CELL + 18, "then the barrier", "middle small")
    canvas.text(632, 336, "2  a column of the tile into a row of out", "end small c")
    canvas.arrow([(x[0] + 12 * _CELL + 3, x[1] + 5.5 * _CELL), (tile[0] - 5, tile[1] + 1.5 * _CELL)])
    canvas.arrow(
        [(tile[0] + 4 * _CELL + 4, tile[1] + 2 * _CELL), (out[0] + 4 * _CELL - 4, out[1] + 9.5 * _CELL)]
    )
    return canvas


def _cell(where: str, row: int, column: int) -> tuple[str, str]:
    """How a cell is tinted (step 1, step 2, both, or no part of it), and the element of x that is in it."""
    if where == "tile":
        i, lane = row, column
        kind = {(True, True): "d", (True, False): "a", (False, True): "c"}.get(
            (i == _WARP, lane == _WARP), "box"
        )
        return kind, str((_ROW + i) * _COLUMNS + _COLUMN + lane) if kind != "box" else ""
    i, lane = (row - _ROW, column - _COLUMN) if where == "x" else (row - _COLUMN, column - _ROW)
    if not (0 <= i < _TILE and 0 <= lane < _TILE):
        return "hollow", ""
    if i != _WARP:
        return "box", ""
    return ("a", str(row * _COLUMNS + column)) if where == "x" else ("c", str(column * _COLUMNS + row))


# ---- what was counted --------------------------------------------------------------------------------------


def store_naive() -> Canvas:
    """The naive kernel writes down a column of out."""
    return _drawn("transpose-store-naive", NAIVE, "global", "store", "out[column * rows + row], naive")


def store_tiled() -> Canvas:
    """With a tile it writes along a row."""
    return _drawn("transpose-store-tiled", SOLUTION, "global", "store", "a part of a row of out, from a tile")


def banks_tiled() -> Canvas:
    """A column of a tile of 32 x 32."""
    return _drawn("transpose-banks-tiled", TILED, "shared", "load", "a column of float tile[32][32]")


def banks_padded() -> Canvas:
    """A column of the solution's tile, whose declaration the picture does not give away."""
    return _drawn(
        "transpose-banks-padded", SOLUTION, "shared", "load", "a column of a tile with another layout"
    )


def table() -> str:
    """Each step's counts for a matrix of CASE, beside an H200's where they are recorded."""
    header = ("kernel", "sectors read", "sectors written", "wavefronts to fill the tile",
              "wavefronts to read it", "bank conflicts", "an H200's counters")  # fmt: skip
    rule = ["---", *["--:"] * 5, "---"]
    rows = [_row(step) for step in STEPS]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def counted(step: Step) -> dict[str, int]:
    """The totals of the step's forward launch, by the names that the H200's record has for them."""
    totals = dict.fromkeys(
        ("load_requests", "store_requests", "load_sectors", "store_sectors", "shared_load_wavefronts",
         "shared_store_wavefronts", "shared_load_conflicts"), 0,
    )  # fmt: skip
    for line in _lines(step):
        if line.space == "global":
            totals[f"{line.access}_requests"] += line.requests
            totals[f"{line.access}_sectors"] += line.sectors
        else:
            totals[f"shared_{line.access}_wavefronts"] += line.wavefronts
            totals["shared_load_conflicts"] += line.conflicts
    return totals


def measured(step: Step) -> dict[str, int]:
    """What Nsight Compute counted of that access pattern on an H200; empty where nothing is recorded."""
    lines = [line for line in HARDWARE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        if row.pop("kernel") == step.measured:
            return {name: int(value) for name, value in row.items()}
    return {}


def _row(step: Step) -> list[str]:
    totals, hardware = counted(step), measured(step)
    numbers = ("load_sectors", "store_sectors", "shared_store_wavefronts", "shared_load_wavefronts",
               "shared_load_conflicts")  # fmt: skip
    differing = [
        f"{name} {hardware[name]:,}" for name in totals if hardware and hardware[name] != totals[name]
    ]
    said = ("the same" if not differing else ", ".join(differing)) if hardware else "not recorded"
    return [step.title, *[f"{totals[name]:,}" for name in numbers], said]


def _drawn(name: str, step: Step, space: Space, access: Access, what: str) -> Canvas:
    (line,) = (each for each in _lines(step) if (each.space, each.access) == (space, access))
    return picture(line.sample, what, Contents("out", line.bytes), access=access, name=name)


def _lines(step: Step) -> list[LineCounts]:
    return [line for launched in _profile(step).stages[0].launches for line in launched.counts.lines]


def _profile(step: Step) -> Profile:
    return profile("13", CASE, kernel=SAMPLES / step.sample if step.sample else None)
