"""Pictures of one request of a warp: the sectors of global memory or banks of shared memory it touches.

    canvas = picture(line.sample, "loads of x")
    Path("x.svg").write_text(canvas.render(alone=True))

Global memory is drawn in lines of 128 bytes, four sectors each: requested bytes carry the number of the
lane, bytes that move unrequested are tinted, sectors that do not move are dashed. Shared memory is drawn
bank by bank: one row is one wavefront, so every row below the first is a bank conflict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cusimt.counters.canvas import Canvas
from cusimt.counters.counting import Sample
from cusimt.counters.transactions import (
    BANKS,
    SECTOR,
    Access,
    ServedWord,
    Wavefront,
    active,
    distinct_bytes,
    sector_numbers,
    wavefront_list,
)
from cusimt.support.words import counted

__all__ = ["Contents", "picture"]

LINE = 128  # bytes: four sectors, what a cache holds together
_WORD = 4  # bytes
_LEFT, _CELL, _ROW, _TOP = 92, 18, 26, 54  # pixels
_MOST_ROWS = 10
_LONGEST_NAME = 7
_WIDTH = _LEFT + BANKS * _CELL + 16


@dataclass(frozen=True)
class Contents:
    """The tensor in the drawn memory: its name, and the bytes of one element (0: unknown)."""

    name: str = ""
    itemsize: int = 0

    def at(self, byte: int) -> str:
        """`x[32]`; `[32]` of something with a long name; `+128` where only bytes are known."""
        name = self.name if len(self.name) <= _LONGEST_NAME else ""
        if self.itemsize and byte % self.itemsize == 0:
            return f"{name}[{byte // self.itemsize}]"
        return f"{name}+{byte}"


def picture(
    sample: Sample, what: str, contents: Contents | None = None, *,
    access: Access = "load", name: str = "access",
) -> Canvas:  # fmt: skip
    """Draw `sample`; `what` is the title, `name` makes the SVG's ids unique on a page."""
    if sample.base == "shared":
        return _banks(sample, what, access, name)
    return _sectors(sample, what, contents or Contents(), name)


# ---- lanes -----------------------------------------------------------------------------------------------


def lane_list(lanes: Sequence[int]) -> str:
    """`5`, `0–3`, `1, 3`; from three lanes without order on, how many: `×12`."""
    if len(lanes) == 1:
        return str(lanes[0])
    if lanes[-1] - lanes[0] == len(lanes) - 1:
        return f"{lanes[0]}–{lanes[-1]}"
    return ", ".join(map(str, lanes)) if len(lanes) == 2 else f"×{len(lanes)}"


def _lanes_of_starts(sample: Sample) -> dict[int, list[int]]:
    lanes: defaultdict[int, list[int]] = defaultdict(list)
    for lane, start in active(sample.addresses).items():
        lanes[start].append(lane)
    return dict(sorted(lanes.items()))


# ---- global memory ---------------------------------------------------------------------------------------


def _sectors(sample: Sample, what: str, contents: Contents, name: str) -> Canvas:
    sectors = sector_numbers(sample.addresses, sample.bytes)
    lines = sorted({sector * SECTOR // LINE for sector in sectors})
    shown = lines[:_MOST_ROWS]
    summary = _traffic(sample, sectors)
    canvas = Canvas(name, _WIDTH, _height(len(shown), len(lines)), what, f"{what}. {summary}")
    _head(canvas, what, summary)
    lanes = _lanes_of_starts(sample)
    for row, line in enumerate(shown):
        y = _TOP + row * _ROW
        canvas.text(_LEFT - 8, y + 15, contents.at(line * LINE), "end small mono")
        for sector in range(line * LINE // SECTOR, (line + 1) * LINE // SECTOR):
            if sector in sectors:
                _sector(canvas, y, sector, sample, lanes)
            else:
                _still(canvas, y, sector)
    _foot(canvas, len(shown), len(lines), "lines of 128 bytes", _GLOBAL_KEY)
    return canvas


def _traffic(sample: Sample, sectors: Sequence[int]) -> str:
    """`32 lanes ask for 128 bytes; 32 sectors of 32 bytes move: 896 unrequested bytes.`"""
    count, moved = len(active(sample.addresses)), len(sectors) * SECTOR
    wanted = distinct_bytes(sample.addresses, sample.bytes)
    ask, move = "asks" if count == 1 else "ask", "moves" if len(sectors) == 1 else "move"
    unasked = f"{moved - wanted} unrequested bytes" if moved > wanted else "nothing wasted"
    units = f"{counted(len(sectors), 'sector')} of {SECTOR} bytes {move}"
    return f"{counted(count, 'lane')} {ask} for {wanted} bytes; {units}: {unasked}."


def _still(canvas: Canvas, y: float, sector: int) -> None:
    left = _LEFT + sector * SECTOR % LINE // _WORD * _CELL
    canvas.box(left, y, SECTOR // _WORD * _CELL - 4, _ROW - 6, "", "hollow dashed")


def _sector(canvas: Canvas, y: float, sector: int, sample: Sample, lanes: Mapping[int, list[int]]) -> None:
    """One sector that moves: each access in it with its lanes' numbers, and the unrequested bytes."""
    left = _LEFT + sector * SECTOR % LINE // _WORD * _CELL
    width = SECTOR // _WORD * _CELL - 4
    scale = width / SECTOR  # pixels of a byte
    begin, end = sector * SECTOR, (sector + 1) * SECTOR
    canvas.box(left, y, width, _ROW - 6, "", "hollow", sector=sector)
    for first, last in _unasked(lanes, sample.bytes, begin, end):
        x, across = left + (first - begin) * scale, (last - first) * scale
        canvas.box(x, y, across, _ROW - 6, "", "b", unasked=last - first)
    for start, takers in lanes.items():
        first, last = max(start, begin), min(start + sample.bytes, end)
        if first >= last:
            continue
        x, across = left + (first - begin) * scale, (last - first) * scale
        canvas.box(x, y, across, _ROW - 6, "", "a", lanes=lane_list(takers), bytes=last - first)
        if sample.bytes >= _WORD or takers[0] * sample.bytes % _WORD == 0:  # there is no room for every half
            _lane_label(canvas, x + max(across, _WORD * scale) / 2, y, takers)


def _unasked(starts: Iterable[int], nbytes: int, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges between `begin` and `end` that no access covers."""
    position = begin
    for start in sorted(starts):
        if start + nbytes <= begin or start >= end:
            continue
        if start > position:
            yield position, start
        position = max(position, start + nbytes)
    if position < end:
        yield position, end


def _lane_label(canvas: Canvas, middle: float, y: float, lanes: Sequence[int]) -> None:
    text = lane_list(lanes)
    label = text if len(text) < 4 else f"×{len(lanes)}"
    canvas.text(middle, y + 14, label, f"middle mono {'tiny' if len(label) > 2 else 'small'}")


# ---- shared memory ---------------------------------------------------------------------------------------


def _banks(sample: Sample, what: str, access: Access, name: str) -> Canvas:
    rows = wavefront_list(sample.addresses, sample.bytes, access)
    shown = rows[:_MOST_ROWS]
    summary = _conflicts(sample, rows)
    canvas = Canvas(name, _WIDTH, _height(len(shown), len(rows)) + 16, what, f"{what}. {summary}")
    _head(canvas, what, summary)
    canvas.text(_LEFT - 8, _TOP + 9, "bank", "end small")
    for bank in range(BANKS):
        canvas.text(_LEFT + (bank + 0.5) * _CELL, _TOP + 9, str(bank), "middle mono tiny")
    for number, wavefront in enumerate(shown):
        y = _TOP + 16 + number * _ROW
        canvas.text(_LEFT - 8, y + 15, f"pass {number + 1}", "end small mono")
        for bank in range(BANKS):
            _bank(canvas, y, bank, wavefront.banks.get(bank), wavefront.conflict)
    _foot(canvas, len(shown), len(rows), "passes", _SHARED_KEY, 16)
    return canvas


def _bank(canvas: Canvas, y: float, bank: int, served: ServedWord | None, conflict: bool) -> None:
    x = _LEFT + bank * _CELL
    if served is None:
        canvas.box(x, y, _CELL - 2, _ROW - 6, "", "hollow dashed")
        return
    canvas.box(x, y, _CELL - 2, _ROW - 6, "", "b" if conflict else "a", bank=bank, word=served.word)
    _lane_label(canvas, x + _CELL / 2 - 1, y, served.lanes)


def _conflicts(sample: Sample, rows: Sequence[Wavefront]) -> str:
    """`32 lanes want 32 words of 1 bank: 32 passes, 31 of them bank conflicts.`"""
    count = len(active(sample.addresses))
    words = {served.word for row in rows for served in row.banks.values()}
    banks = {bank for row in rows for bank in row.banks}
    conflicts = sum(row.conflict for row in rows)
    lost = f", {conflicts} of them bank conflicts" if conflicts else ""
    return (
        f"{counted(count, 'lane')} want{'s' if count == 1 else ''} {counted(len(words), 'word')} "
        f"of {counted(len(banks), 'bank')}: {counted(len(rows), 'pass', 'passes')}{lost}."
    )


# ---- frame ----------------------------------------------------------------------------------------------

_GLOBAL_KEY = (
    ("a", "asked for, by the lane of this number"),
    ("b", "moves along, unused"),
    ("hollow dashed", "does not move"),
)
_SHARED_KEY = (
    ("a", "served, for the lane of this number"),
    ("b", "bank conflict"),
    ("hollow dashed", "idle bank"),
)


def _height(shown: int, rows: int) -> int:
    return _TOP + shown * _ROW + (20 if rows > shown else 0) + 30


def _head(canvas: Canvas, what: str, summary: str) -> None:
    canvas.text(12, 20, what, "strong")
    canvas.text(12, 40, summary, "small")


def _foot(
    canvas: Canvas, shown: int, rows: int, unit: str, key: Iterable[tuple[str, str]], offset: int = 0
) -> None:
    y = _TOP + offset + shown * _ROW
    if rows > shown:
        canvas.text(_LEFT, y + 12, f"… and {rows - shown} more {unit} like these", "small")
        y += 20
    x = float(_LEFT)
    for kind, meaning in key:
        canvas.box(x, y + 6, 14, 14, "", kind)
        canvas.text(x + 20, y + 17, meaning, "small")
        x += 36 + len(meaning) * 6.2
