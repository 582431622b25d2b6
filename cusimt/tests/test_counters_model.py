"""The memory model: cases with known answers, and the runtime's counts of random requests."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from cusimt import findings
from cusimt.counters import LaunchCounts, LineCounts, counting
from cusimt.counters import transactions as model
from cusimt.counters.transactions import Access, Addresses
from cusimt.tests.surface_program import SOURCES, program

Place = Callable[[int], int | None]
SIZES = (1, 2, 4, 8, 12, 16)
ELEMENTS = 256


def lanes(address: Place) -> list[int | None]:
    return [address(lane) for lane in range(32)]


# ---- known answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("addresses", "size", "sectors", "ideal"),
    [
        (lanes(lambda lane: 4 * lane), 4, 4, 4),
        (lanes(lambda lane: 4 * lane + 4), 4, 5, 4),  # begins within a sector
        (lanes(lambda lane: 8 * lane), 4, 8, 4),
        (lanes(lambda lane: 128 * lane), 4, 32, 4),
        (lanes(lambda lane: 64), 4, 1, 1),  # broadcast
        (lanes(lambda lane: 2 * lane), 2, 2, 2),
        (lanes(lambda lane: 8 * lane), 8, 8, 8),
        (lanes(lambda lane: 16 * lane), 16, 16, 16),
        (lanes(lambda lane: 12 * lane), 4, 12, 4),  # one component of a float3
        (lanes(lambda lane: 4 * lane if lane < 5 else None), 4, 1, 1),
        (lanes(lambda lane: 4 * (31 - lane)), 4, 4, 4),
        ([28, *[None] * 31], 8, 2, 1),  # straddles
    ],
)
def test_sectors(addresses: Addresses, size: int, sectors: int, ideal: int) -> None:
    assert (model.sectors(addresses, size), model.ideal_sectors(addresses, size)) == (sectors, ideal)


@pytest.mark.parametrize(
    ("addresses", "size", "access", "wavefronts", "ideal"),
    [
        (lanes(lambda lane: 4 * lane), 4, "load", 1, 1),
        (lanes(lambda lane: 8 * lane), 4, "load", 2, 1),
        (lanes(lambda lane: 128 * lane), 4, "load", 32, 1),
        (lanes(lambda lane: 132 * lane), 4, "load", 1, 1),  # a column of 32 × 33
        (lanes(lambda lane: 64), 4, "load", 1, 1),
        (lanes(lambda lane: 2 * lane), 2, "load", 1, 1),  # two lanes share a word
        (lanes(lambda lane: 128 * (lane % 2) + 4 * (lane // 2)), 4, "load", 2, 1),
        (lanes(lambda lane: 8 * lane), 8, "load", 2, 2),
        (lanes(lambda lane: 16 * lane), 8, "load", 4, 2),
        (lanes(lambda lane: 8 * lane if lane < 16 else None), 8, "load", 1, 1),
        (lanes(lambda lane: 8 * (lane // 2)), 8, "load", 1, 1),  # pairs agree
        (lanes(lambda lane: 8 * (lane // 2)), 8, "store", 2, 2),
        (lanes(lambda lane: 16 * lane), 16, "load", 4, 4),
        (lanes(lambda lane: 64 * (lane // 16)), 16, "load", 2, 2),  # the tiled matmul, as measured
        (lanes(lambda lane: 16 * (lane % 2 + lane // 4 * 2)), 16, "load", 2, 2),  # i and i ^ 2 agree
        (lanes(lambda lane: 16 * (lane // 4 * 4)), 16, "load", 4, 2),
        (lanes(lambda lane: 0), 4, "atomic", 32, 1),
        (lanes(lambda lane: 4 * lane), 4, "atomic", 1, 1),
    ],
)
def test_wavefronts(addresses: Addresses, size: int, access: Access, wavefronts: int, ideal: int) -> None:
    assert model.wavefronts(addresses, size, access) == wavefronts
    assert model.ideal_wavefronts(addresses, size, access) == ideal


def test_what_a_picture_needs() -> None:
    addresses = lanes(lambda lane: 8 + 4 * (lane // 2) if lane != 3 else None)

    assert model.sector_numbers(addresses, 4) == [0, 1, 2]
    assert model.distinct_bytes(addresses, 4) == 64
    assert model.bank_words([0, 128, 4], 4) == {0: [0, 32], 1: [1]}
    assert model.phases(lanes(lambda lane: 8 * lane), 8) == [list(range(16)), list(range(16, 32))]
    assert model.stride(lanes(lambda lane: 12 * lane)) == 12
    assert model.stride(addresses) is None
    assert model.stride([4, None, 12]) is None  # no two neighbours
    assert model.runs(lanes(lambda lane: 4 * (lane - 1) if lane else 4096), 4) == [1, 31]
    assert model.runs(lanes(lambda lane: 400 - 4 * lane), 4) == [32]
    assert model.runs([0, 4, 8, 4, 0, None, 4, 20], 4) == [3, 2, 1, 1]


# ---- the runtime's -----------------------------------------------------------------------------------------


def places(seed: int) -> Iterator[list[int]]:
    """Where each lane goes, in elements; -1: nowhere."""
    draw = random.Random(seed)
    for pattern in range(24):
        base, step, mask = draw.randrange(64), draw.choice([0, 1, 2, 3, 5, 6]), draw.randrange(1, 1 << 32)
        spread = [draw.randrange(ELEMENTS) for _ in range(32)]
        groups = draw.choice([1, 2, 4, 8, 16])
        drawn = {
            0: [base + step * lane for lane in range(32)],
            1: spread,
            2: [spread[lane // groups] for lane in range(32)],
            3: [spread[lane & ~2] for lane in range(32)],
        }[pattern % 4]
        some = [place if mask >> lane & 1 else -1 for lane, place in enumerate(drawn)]
        yield drawn if pattern < 12 else some


def counted(kernel: str, size: int, shared: bool) -> list[LaunchCounts]:
    elements = np.zeros(ELEMENTS * size, np.uint8)
    run = getattr(program("counters", checked=True), f"{kernel}_{size}")
    with counting((SOURCES,)) as counts:
        for each in places(size):
            more = (ELEMENTS,) if shared else ()
            run(elements, elements.copy(), np.array(each, np.int32), *more)
    assert findings.take((SOURCES,)) == []
    return counts


def of_line(counts: LaunchCounts, source: str, access: str) -> LineCounts:
    (found,) = [each for each in counts.lines if source in each.frame.source and each.access == access]
    return found


@pytest.mark.parametrize("size", SIZES)
def test_the_runtime_counts_sectors_by_the_same_rules(size: int) -> None:
    for counts, each in zip(counted("gather", size, False), places(size), strict=True):
        piece = 4 if size == 12 else size  # a GPU has no instruction for 12 bytes: three requests
        parts = [
            [place * size + at if place >= 0 else None for place in each] for at in range(0, size, piece)
        ]
        for access in ("load", "store"):
            line = of_line(counts, "y[place] = x[place]", access)
            assert (line.bytes, line.requests) == (piece, len(parts))
            assert line.lanes == sum(place >= 0 for place in each) * len(parts)
            assert line.sectors == sum(model.sectors(part, piece) for part in parts)
            assert line.ideal_sectors == sum(model.ideal_sectors(part, piece) for part in parts)
            assert list(line.sample.addresses) in parts


@pytest.mark.parametrize("size", [size for size in SIZES if size != 12])
def test_the_runtime_counts_wavefronts_by_the_same_rules(size: int) -> None:
    for counts, each in zip(counted("gather_shared", size, True), places(size), strict=True):
        accesses: tuple[tuple[str, Access], ...] = (("value = tile[place]", "load"), ("= value", "store"))
        for source, access in accesses:
            line = of_line(counts, source, access)
            first = min(address for address in line.sample.addresses if address is not None)
            origin = first - min(place for place in each if place >= 0) * size  # of `tile`
            addresses = [origin + place * size if place >= 0 else None for place in each]
            assert (line.requests, list(line.sample.addresses)) == (1, addresses)
            assert line.wavefronts == model.wavefronts(addresses, size, access)
            assert line.ideal_wavefronts == model.ideal_wavefronts(addresses, size, access)
