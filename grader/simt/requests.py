"""What one request of a warp touches: sectors, banks, and the pattern of its lanes' addresses."""

from __future__ import annotations

import itertools
from collections import defaultdict

from grader.simt.counters import Sample
from grader.simt.memory_model import BANK_BYTES, BANKS, SECTOR


def active(sample: Sample) -> dict[int, int]:
    """The address of every lane that takes part."""
    return {lane: start for lane, start in enumerate(sample.addresses) if start is not None}


def sectors(sample: Sample) -> list[int]:
    """The sectors touched, as multiples of 32 bytes from the beginning of the allocation."""
    starts = set(active(sample).values())
    return sorted({
        sector
        for start in starts
        for sector in range(start // SECTOR, (start + sample.bytes - 1) // SECTOR + 1)
    })  # fmt: skip


def wanted_bytes(sample: Sample) -> int:
    """Distinct bytes that the lanes ask for."""
    starts = set(active(sample).values())
    return len({byte for start in starts for byte in range(start, start + sample.bytes)})


def bank_words(sample: Sample) -> dict[int, list[int]]:
    """For each bank the distinct 4-byte words wanted of it, in the order of the lanes."""
    words: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for start in active(sample).values():
        for word in words_of(start, sample):
            words[word % BANKS][word] = None
    return {bank: list(wanted) for bank, wanted in words.items()}


def words_of(start: int, sample: Sample) -> range:
    """The 4-byte words of an access that begins at `start`."""
    return range(start // BANK_BYTES, (start + sample.bytes - 1) // BANK_BYTES + 1)


def stride(sample: Sample) -> int | None:
    """Bytes from a lane to its neighbour, where all neighbours that take part agree; else None."""
    lanes = active(sample)
    steps = {lanes[b] - lanes[a] for a, b in itertools.pairwise(lanes) if b == a + 1}
    return steps.pop() if len(steps) == 1 else None
