"""Pictures of lesson 20: the fragments of one step of a warp, and the banks of eight lines of a tile."""

from __future__ import annotations

from diagram import Diagram

FRAGMENT = 16  # elements in every direction
WARP = 64  # rows and columns of out, for each warp
LINE = 32  # halves in a line of a tile
PADDING = 24  # halves behind a line: more than are needed, since the exercise asks for the least
BANKS, BANK_BYTES, HALF = 32, 4, 2


def warp_fragments() -> Diagram:
    """20: four fragments of a and four of b make sixteen products."""
    count, cell, left, top = WARP // FRAGMENT, 48, 190, 96
    loaded, products = 2 * count, count * count
    canvas = Diagram(
        "warp-fragments", 640, 330, "One step along k of one warp",
        f"A square of {count} by {count} fragments of sums, which the 32 lanes of a warp hold in registers. To its "
        f"left a column of {count} fragments of a, above it a row of {count} fragments of b. Each fragment of sums "
        "grows by the product of the fragment to its left and the one above it: "
        f"{loaded} fragments are loaded from shared memory for {products} calls of mma_sync.",
    )  # fmt: skip
    canvas.text(left + count * cell / 2, 30, "b: 16 rows, the columns of this warp", "middle small mono")
    canvas.text(left - 14, top - 16, "a: its rows, 16 columns", "end small mono")
    for across in range(count):
        canvas.box(left + across * cell, 44, cell - 4, 34, "", "b")
    for down in range(count):
        canvas.box(left - 58, top + down * cell, 42, cell - 4, "", "a")
        for across in range(count):
            canvas.box(left + across * cell, top + down * cell, cell - 4, cell - 4, "", "c")
    x = left + count * cell + 24
    for line, text in enumerate((
        f"{loaded} fragments loaded",
        f"{products} products of {FRAGMENT} × {FRAGMENT} × {FRAGMENT}",
        f"{WARP * WARP // 32} sums in each lane,",
        "which of them is not specified",
    )):  # fmt: skip
        canvas.text(x, top + 40 + 24 * line, text, "small")
    return canvas


def _words(padding: int) -> int:
    """From one line to the next."""
    return (LINE + padding) * HALF // BANK_BYTES


def banks_of(line: int, padding: int) -> list[int]:
    """Of the first 16 bytes of a line."""
    first = line * _words(padding)
    return [(first + word) % BANKS for word in range(16 // BANK_BYTES)]


def fragment_banks() -> Diagram:
    """20: the banks of eight pieces that are loaded together, without padding and with it."""
    cell, left, height = 15, 84, 16
    worst = {padding: _most(padding) for padding in (0, PADDING)}
    canvas = Diagram(
        "fragment-banks", left + BANKS * cell + 20, 396, "The banks of eight lines of a tile",
        f"Two charts with a row for each of eight lines and a column for each of {BANKS} banks. With lines "
        f"{_words(0)} words apart, the first 16 bytes of the lines are in only 8 banks, each of which {worst[0]} "
        f"lines need. With lines {_words(PADDING)} words apart, all {BANKS} banks are used, by one line each.",
    )  # fmt: skip
    for top, padding in ((46, 0), (236, PADDING)):
        passes = "1 pass" if worst[padding] == 1 else f"{worst[padding]} passes"
        odd = ", an odd multiple of four" if _words(padding) // 4 % 2 else ""
        canvas.text(left, top - 24, f"lines {_words(padding)} words apart{odd}: {passes}", "strong")
        for bank in range(0, BANKS, 4):
            canvas.text(left + (bank + 0.5) * cell, top - 6, str(bank), "middle small")
        for line in range(8):
            y = top + line * height
            canvas.text(left - 10, y + 12, f"line {line}", "end small")
            taken = banks_of(line, padding)
            for bank in range(BANKS):
                canvas.box(left + bank * cell, y, cell - 2, height - 2, "", "a" if bank in taken else "box")
    canvas.text(left, 386, "Coloured: the banks of a line's first 16 bytes.", "small")
    return canvas


def _most(padding: int) -> int:
    """How many lines need the same bank."""
    taken = [bank for line in range(8) for bank in banks_of(line, padding)]
    return max(taken.count(bank) for bank in range(BANKS))
