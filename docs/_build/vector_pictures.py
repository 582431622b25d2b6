"""Lesson 12: the requests that move 512 bytes, where a view begins, and what its kernels were counted to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from profiles import COURSE, profile

from diagram import Diagram
from cusimt.counters.transactions import SECTOR, sectors

_LANES, _FLOAT, _CHUNK = 32, 4, 16  # lanes of a warp; bytes of a float, and of a float4
_SHOWN = 512  # bytes of memory in the picture: a float4 for each lane of one warp


class Way(NamedTuple):
    """How warps read memory: byte where(request, lane) in each of `requests` of one warp."""

    title: str
    nbytes: int
    requests: int
    where: Callable[[int, int], int]


WAYS = (
    Way("one float per lane: 4 warps, or 4 loads of one warp", _FLOAT, 4,
        lambda request, lane: _FLOAT * (_LANES * request + lane)),
    Way("one float4 per lane", _CHUNK, 1, lambda request, lane: _CHUNK * lane),
    Way("two float4 per lane, side by side: the loads of the first 16 lanes", _CHUNK, 2,
        lambda request, lane: _CHUNK * (2 * lane + request)),
)  # fmt: skip


def moved(way: Way) -> tuple[int, int]:
    """Requests and sectors until _SHOWN bytes have arrived; lanes whose bytes are not shown are left out."""
    total = 0
    for request in range(way.requests):
        addresses = [way.where(request, lane) for lane in range(_LANES)]
        shown = tuple(each if each < _SHOWN else None for each in addresses)
        total += sectors(shown, way.nbytes)
    return way.requests, total


def requests_and_sectors() -> Diagram:
    """12: the same 512 bytes by floats, by float4, and by float4 that are not next to each other."""
    cell, left, level = 38, 16, 88
    counts = [moved(way) for way in WAYS]
    spoken = ". ".join(
        f"{way.title[0].upper()}{way.title[1:]}: {_said(*count)}"
        for way, count in zip(WAYS, counts, strict=True)
    )
    canvas = Diagram(
        "requests-and-sectors", left * 2 + cell * (_SHOWN // SECTOR), 3 * level + 8,
        "Three ways to read 512 bytes", f"Each row shows 16 sectors of 32 bytes. {spoken}.",
    )  # fmt: skip
    for row, (way, count) in enumerate(zip(WAYS, counts, strict=True)):
        y = 8 + row * level
        canvas.text(left, y + 12, way.title, "strong")
        for sector in range(_SHOWN // SECTOR):
            x = left + sector * cell
            owners = _owners(way, sector)
            for part, request in enumerate(owners):
                width = (cell - 3) / len(owners)
                canvas.box(x + part * width, y + 22, width, 26, str(request + 1), "abcd"[request], mono=True)
        canvas.text(left, y + 66, _said(*count), "small")
    return canvas


def _owners(way: Way, sector: int) -> list[int]:
    """The requests that use a sector, in the order of its bytes."""
    found: dict[int, int] = {}
    for request in range(way.requests):
        for lane in range(_LANES):
            byte = way.where(request, lane)
            if byte // SECTOR == sector:
                found.setdefault(request, byte)
    return sorted(found, key=lambda request: found[request])


def _said(requests: int, count: int) -> str:
    return f"{requests} request{'s' * (requests > 1)}, {count} sectors"


_CELLS = 12  # floats of base in the picture


def where_a_view_begins() -> Diagram:
    """12: a view that begins one element in, and a result in new memory: no shift aligns both."""
    cell, left = 46, 16
    canvas = Diagram(
        "where-a-view-begins", left * 2 + cell * _CELLS, 262, "x = base[1:] beside a new tensor",
        "Memory in columns of 4 bytes, with a line at every multiple of 16 bytes. base begins at such a line. "
        "x, the view base[1:], begins 4 bytes after it, so x[3] is the first element of x at a line. The new "
        "tensor out begins at a line, so out[3] is 12 bytes after one. The elements x[3] to x[6] could be "
        "loaded as one float4, but out[3] to out[6] could not be stored as one.",
    )  # fmt: skip
    rows = (("base, from the allocator", "base", 0), ("x = base[1:], dense", "x", 1), ("out, new", "out", 0))
    for number in range(_CELLS // 4 + 1):
        x = left + number * 4 * cell - 2
        for row in range(len(rows)):
            canvas.line([(x, 50 + row * 70), (x, 84 + row * 70)], "line dashed")
        canvas.text(
            x if number else x + 4, 18, f"+{16 * number}", "middle mono small" if number else "mono small"
        )
    for row, (title, name, shift) in enumerate(rows):
        y = 36 + row * 70
        canvas.text(left + 4, y + 10, title, "small strong")
        for place in range(_CELLS):
            index = place - shift
            kind = "hollow" if index < 0 else "box"
            if name != "base" and 3 <= index <= 6:
                kind = "c" if name == "x" else "b"
            label = str(index) if index >= 0 else ""
            canvas.box(left + place * cell, y + 18, cell - 4, 26, label, kind, mono=True)
    canvas.text(left, 256, "Elements 3 to 6: one float4 in x, parts of two in out.", "small")
    return canvas


# ---- what was counted --------------------------------------------------------------------------------------

SAMPLES = COURSE / "docs" / "samples" / "vectors"
CASES = ("40,003 floats", "40,005 halves")
KERNELS = (  # title, and the sample; the solution without one
    ("one element per thread", "naive.cu"),
    ("eight elements per thread, one by one", "unrolled.cu"),
    ("four chunks per thread, side by side", "pieces.cu"),
    ("one chunk per thread", "vectors.cu"),
    ("the solution", ""),
)


def table() -> str:
    """Requests and sectors of forward, for each kernel and each case."""
    header = ("kernel", *(f"{what}, {case.split()[1]}" for case in CASES for what in _WHAT))
    rows = [
        (title, *(f"{number:,}" for case in CASES for number in _counts(sample, case)))
        for title, sample in KERNELS
    ]
    rule = ("---", *["--:"] * (len(header) - 1))
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


_WHAT = ("requests to read", "to write", "sectors")


def _counts(sample: str, case: str) -> tuple[int, int, int]:
    found = profile("12", case, kernel=SAMPLES / sample if sample else None)
    lines = [line for launched in found.stages[0].launches for line in launched.counts.lines]
    read, written = (
        sum(line.requests for line in lines if line.access == access) for access in ("load", "store")
    )
    return read, written, sum(line.sectors for line in lines)
